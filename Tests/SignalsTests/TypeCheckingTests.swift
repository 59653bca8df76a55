import Foundation
import Testing

/// How long the compiler needs for what users write; a new overload can make it slow.
@Suite struct TypeCheckingTests {
  @Test(
    .enabled(if: TypeChecker.current != nil, "needs swiftc, and the modules next to the tests"))
  func `type-checks each typical expression within half a second`() throws {
    let checker = try #require(TypeChecker.current)
    let result = try checker.run(limit: 500)
    #expect(result.status == 0)
    #expect(result.complaints == [])
  }

  @Test(
    .enabled(if: TypeChecker.current != nil, "needs swiftc, and the modules next to the tests"))
  func `type-checks combineLatest of eight signals within 0.3 seconds`() throws {
    let checker = try #require(TypeChecker.current)
    let source = try String(contentsOf: TypeChecker.expressions, encoding: .utf8)
    let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
    let first = try #require(lines.firstIndex(of: "  _ = combineLatest(")) + 1
    // One line for each signal, and one for the closure.
    let slow = try checker.run(limit: 300).complaints.filter { complaint in
      (first...first + 9).contains { complaint.contains(".swift:\($0):") }
    }
    #expect(slow == [])
  }

  @Test(
    .enabled(if: TypeChecker.current != nil, "needs swiftc, and the modules next to the tests"))
  func `reports an expression that takes longer than the limit`() throws {
    let checker = try #require(TypeChecker.current)
    #expect(try !checker.run(limit: 1).complaints.isEmpty)
  }

  @Test func `measures at least 60 typical expressions`() throws {
    let source = try String(contentsOf: TypeChecker.expressions, encoding: .utf8)
    let statements = source.split(separator: "\n").count { line in
      line.hasPrefix("  _ =") || line.hasPrefix("  let _:")
    }
    #expect(statements >= 60)
  }
}

/// The Swift compiler, told to check types only and to say what takes long.
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
  /// - Parameter limit: How many milliseconds an expression may take.
  /// - Returns: The status of the compiler, and what it said.
  /// - Throws: An error when the compiler cannot be started.
  func run(limit: Int) throws -> (status: Int32, complaints: [String]) {
    let process = Process()
    process.executableURL = compiler
    process.arguments = [
      "-typecheck", "-swift-version", "6", "-I", modules.path,
      "-enable-upcoming-feature", "ExistentialAny",
      "-enable-upcoming-feature", "MemberImportVisibility",
      "-Xfrontend", "-warn-long-expression-type-checking=\(limit)",
      Self.expressions.path,
    ]
    let output = Pipe()
    process.standardError = output
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let complaints = text.split(separator: "\n").filter { line in
      line.contains("error: ") || line.contains("expression took")
    }
    return (process.terminationStatus, complaints.map(String.init))
  }
}
