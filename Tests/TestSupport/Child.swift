internal import Foundation
internal import Glibc
package import Testing

/// A child process that never outlives its test.
///
/// Its output goes to files, so that it never waits for a reader.
package final class Child {
  package enum End: Hashable, Sendable {
    case exit(Int32), signal(Int32)
  }

  /// The process id.
  package let id: Int32
  /// The files of standard input, output and error.
  private let files: Folder
  /// The working directory, which is removed with its last owner.
  private let folder: Folder?
  private var end: End?
  /// The number of bytes of standard output that ``nextLine(within:)`` has returned.
  private var readCount = 0

  /// Starts a command; the corresponding C function is `posix_spawn`.
  ///
  /// - Parameters:
  ///   - command: The program and its arguments. It is looked up next to the test bundle, where
  ///     `enlist` is, and in `PATH`.
  ///   - folder: The working directory.
  ///   - environment: Variables added to the environment of the test, whose `ENLIST_…` variables are
  ///     not passed on.
  ///   - input: The content of standard input.
  ///   - errors: A descriptor for standard error; without it, a file.
  /// - Throws: `TestSystemError`.
  package init(
    _ command: [String], in folder: Folder? = nil, environment: [String: String] = [:],
    input: String = "", errors: Int32? = nil
  ) throws {
    self.folder = folder
    files = try Folder()
    try files.write(input, to: "input")

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, files("input"), O_RDONLY, 0)
    for (descriptor, name) in [(1, "output"), (2, "errors")] as [(Int32, String)] {
      posix_spawn_file_actions_addopen(
        &actions, descriptor, files(name), O_WRONLY | O_CREAT | O_APPEND, 0o600)
    }
    if let errors { posix_spawn_file_actions_adddup2(&actions, errors, 2) }

    // A test runs on a thread that blocks Unix signals; the program must not inherit that.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    var variables = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("ENLIST_") }
    variables.merge(environment) { $1 }
    variables["PATH"] = "\(Self.programs):\(variables["PATH"] ?? "/usr/bin:/bin"):/usr/sbin:/sbin"
    // `env` looks in this `PATH`, `posix_spawnp` in that of the test.
    let words = ["env"] + (folder.map { ["--chdir", $0.path] } ?? []) + command
    var id: pid_t = 0
    let code = Self.withPointers(to: words) { words in
      Self.withPointers(to: variables.map { "\($0)=\($1)" }) { variables in
        Inheritance.starting {
          posix_spawnp(&id, "env", &actions, &attributes, words, variables)
        }
      }
    }
    guard code == 0 else { throw TestSystemError.system("posix_spawn", errno: code) }
    self.id = id
  }

  deinit {
    guard end == nil else { return }
    kill(id, SIGKILL)
    waitpid(id, nil, 0)
  }

  /// The folder of the built programs, which has the running test bundle.
  private static let programs =
    (try? FileManager.default.destinationOfSymbolicLink(
      atPath: "/proc/self/exe")).map { URL(filePath: $0).deletingLastPathComponent().path } ?? ""

  // MARK: Output

  /// Standard output so far.
  package var output: String { (try? files.read("output")) ?? "" }

  /// Standard error so far.
  package var errors: String { (try? files.read("errors")) ?? "" }

  /// Waits for the next line of standard output.
  ///
  /// - Returns: The line without its line end; `nil` if the program has ended without another one.
  package func nextLine(within time: Duration = patience) throws -> String? {
    try eventually("a line after \(output), and \(errors)", within: time) { () -> String?? in
      let hasEnded = try ended() != nil
      let rest = try Data(contentsOf: URL(filePath: files("output"))).dropFirst(readCount)
      guard let end = rest.firstIndex(of: 10) else { return hasEnded ? .some(nil) : nil }
      let line = rest[..<end]
      readCount += line.count + 1
      return .some(String(decoding: line, as: UTF8.self))
    }
  }

  /// Waits for a line of standard output or standard error.
  ///
  /// - Parameters:
  ///   - pattern: Matches the line, with what is searched in it.
  ///   - text: Where it is.
  /// - Returns: What is searched.
  package func line(
    _ pattern: Regex<(Substring, Substring)>, in text: KeyPath<Child, String> = \.output
  ) throws -> String {
    try eventually("the line in \(output), and \(errors)") {
      let hasEnded = try ended() != nil
      if let match = try pattern.firstMatch(in: self[keyPath: text]) { return String(match.1) }
      guard !hasEnded else { throw TestSystemError.missing("the line in \(output), and \(errors)") }
      return nil
    }
  }

  /// Waits until standard error contains a text, a number of times.
  package func waitForLog(_ text: String, count: Int = 1) throws {
    try eventually("\(text) in \(errors)") { errors.ranges(of: text).count >= count }
  }

  // MARK: End

  /// Sends a Unix signal; the corresponding C function is `kill`.
  package func send(_ signal: Int32) {
    guard end == nil else { return }
    kill(id, signal)
  }

  /// Waits for the end.
  ///
  /// - Parameters:
  ///   - signal: A Unix signal to send before.
  ///   - time: The time it may take.
  @discardableResult
  package func wait(after signal: Int32? = nil, within time: Duration = patience) throws -> End {
    if let signal { send(signal) }
    return try eventually("the end of the process, which said \(errors)", within: time) {
      try ended()
    }
  }

  /// Whether, and how, the process has ended.
  private func ended() throws -> End? {
    if let end { return end }
    var status: Int32 = 0
    let outcome = waitpid(id, &status, WNOHANG)
    guard outcome >= 0 else { throw TestSystemError.last("waitpid") }
    guard outcome == id else { return nil }
    end = status & 0x7F == 0 ? .exit(status >> 8 & 0xFF) : .signal(status & 0x7F)
    return end
  }

  /// Calls a closure with strings as a C array: pointers to strings, then a null pointer.
  private static func withPointers<Result>(
    to texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    var pointers: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return body(&pointers)
  }
}

extension Child {
  /// What a command that has ended has said.
  package struct Outcome: Sendable {
    package let end: End
    package let output: String
    package let errors: String

    /// Expects an exit code.
    @discardableResult
    package func expect(
      _ code: Int32, sourceLocation: SourceLocation = #_sourceLocation
    ) -> Outcome {
      #expect(end == .exit(code), "\(output)\(errors)", sourceLocation: sourceLocation)
      return self
    }
  }

  /// Runs a command to its end, which may take a minute.
  package static func run(
    _ command: [String], in folder: Folder? = nil, environment: [String: String] = [:],
    input: String = "", within time: Duration = .seconds(60)
  ) throws -> Outcome {
    let child = try Child(command, in: folder, environment: environment, input: input)
    return Outcome(end: try child.wait(within: time), output: child.output, errors: child.errors)
  }

  /// Returns whether the shell finds a program, which `Scripts/bootstrap all` installs.
  package static func finds(_ program: String) -> Bool {
    (try? run(["sh", "-c", "command -v \(program)"]).end) == .exit(0)
  }
}
