import Foundation
import Testing

/// How many attempts the compiler needs for what users write; a new overload can make it slow.
///
/// They are counted (scopes of its constraint solver), so that the machine does not matter.
@Suite struct TypeCheckingTests {
  @Test(
    .enabled(if: TypeChecker.current != nil, "needs swiftc, and the modules next to the tests"))
  func `type-checks each typical expression with at most 50,000 attempts`() throws {
    let checker = try #require(TypeChecker.current)
    let result = try checker.run(limit: 50_000)
    #expect(result.status == 0)
    #expect(result.complaints == [])
  }

  @Test(
    .enabled(if: TypeChecker.current != nil, "needs swiftc, and the modules next to the tests"))
  func `type-checks combineLatest of eight signals with at most 1,500 attempts`() throws {
    let checker = try #require(TypeChecker.current)
    let source = try String(contentsOf: TypeChecker.expressions, encoding: .utf8)
    let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
    let first = try #require(lines.firstIndex(of: "  _ = combineLatest(")) + 1
    // One line for each signal, and one for the closure.
    let slow = try checker.run(limit: 1_500).complaints.filter { complaint in
      (first...first + 9).contains { complaint.contains(".swift:\($0):") }
    }
    #expect(slow == [])
  }

  @Test(
    .enabled(if: TypeChecker.current != nil, "needs swiftc, and the modules next to the tests"))
  func `reports an expression that needs more attempts than the limit`() throws {
    let checker = try #require(TypeChecker.current)
    #expect(try !checker.run(limit: 10).complaints.isEmpty)
  }

  @Test func `measures at least 60 typical expressions`() throws {
    let source = try String(contentsOf: TypeChecker.expressions, encoding: .utf8)
    let statements = source.split(separator: "\n").count { line in
      line.hasPrefix("  _ =") || line.hasPrefix("  let _:")
    }
    #expect(statements >= 60)
  }
}

/// The Swift compiler, told to check types only and to give up on what needs many attempts.
private struct TypeChecker {
  /// The file that is checked.
  static let expressions = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Expressions/TypicalExpressions.swift")

  /// The compiler in the path, if there is one and the modules of this build are found.
  static let current: TypeChecker? = {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let compiler = path.split(separator: ":")
      .map { URL(filePath: String($0)).appending(path: "swiftc") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    let modules = Bundle.main.executableURL?.deletingLastPathComponent()
      .appending(path: "Modules")
    guard let compiler, let modules else { return nil }
    let module = modules.appending(path: "Signals.swiftmodule").path
    guard FileManager.default.fileExists(atPath: module) else { return nil }
    return TypeChecker(compiler: compiler, modules: modules)
  }()

  let compiler: URL
  let modules: URL

  /// Checks the file.
  ///
  /// - Parameter limit: How many attempts an expression may need.
  /// - Returns: The status of the compiler, and what it said.
  func run(limit: Int) throws -> (status: Int32, complaints: [String]) {
    let process = Process()
    process.executableURL = compiler
    process.arguments = [
      "-typecheck", "-swift-version", "6", "-I", modules.path,
      "-enable-upcoming-feature", "ExistentialAny",
      "-enable-upcoming-feature", "MemberImportVisibility",
      "-Xfrontend", "-solver-scope-threshold=\(limit)",
      Self.expressions.path,
    ]
    let output = Pipe()
    process.standardError = output
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let complaints = text.split(separator: "\n").filter { $0.contains("error: ") }
    return (process.terminationStatus, complaints.map(String.init))
  }
}
