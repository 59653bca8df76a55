internal import Foundation
internal import Glibc

/// A child process that runs a built program and never outlives its test.
///
/// It belongs to one test. Standard output is read line by line; standard error goes to a file
/// unless the test requests a pipe, so that a test that does not read never blocks a program that
/// logs a lot.
package final class ChildProcess {
  /// The end of a process.
  package enum End: Hashable, Sendable {
    /// The process exited with this code.
    case exit(Int32)
    /// This Unix signal ended the process.
    case signal(Int32)
  }

  /// The destination of standard error.
  package enum ErrorOutput: Sendable {
    /// A file, which never blocks the program.
    case file
    /// A pipe of 4 KiB, which only ``readErrorLine(by:)`` reads.
    case pipe
  }

  /// The process id.
  package let id: Int32

  private let output: Int32
  private let errors: Int32
  private var received: [UInt8] = []
  private var hasClosedOutput = false
  private var end: End?
  /// The working directory, which is removed with its last owner.
  private let folder: TemporaryFolder?

  /// Starts a program of the package from the folder with the test bundle.
  ///
  /// The corresponding C function is `posix_spawn`.
  ///
  /// - Parameters:
  ///   - program: The name of the executable product.
  ///   - arguments: The arguments after the program's name.
  ///   - environment: Variables added to the environment of the test, whose `ENLIST_…` variables
  ///     are not passed on.
  ///   - input: The content of standard input.
  ///   - folder: The working directory.
  ///   - launcher: A program that starts the process, with its arguments, such as
  ///     `prlimit --fsize=4096`; looked up in `PATH`.
  ///   - errorOutput: The destination of standard error.
  /// - Throws: `TestSystemError`.
  package init(
    _ program: String = "enlist", _ arguments: [String] = [], environment: [String: String] = [:],
    input: [UInt8] = [], in folder: TemporaryFolder? = nil, through launcher: [String] = [],
    errorOutput: ErrorOutput = .file
  ) throws(TestSystemError) {
    let pipe = try Pipe.make()
    let folderOfErrors = try TemporaryFolder()
    let (errors, writtenErrors) = try Self.open(errorOutput, in: folderOfErrors)
    let inputFile = folderOfErrors.path(of: "standard-input")
    guard (try? Data(input).write(to: URL(filePath: inputFile))) != nil else {
      throw .last("write")
    }

    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    defer { posix_spawn_file_actions_destroy(&files) }
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, inputFile, O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&files, pipe.writeEnd, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&files, writtenErrors, STDERR_FILENO)

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
    let change = folder.map { ["env", "--chdir", $0.path] } ?? []
    let words = change + launcher + [Self.path(of: program)] + arguments
    let first = words.first ?? ""
    var id: pid_t = 0
    let code = Self.withPointers(to: words) { words in
      Self.withPointers(to: variables.map { "\($0)=\($1)" }) { variables in
        Inheritance.starting {
          posix_spawnp(&id, first, &files, &attributes, words, variables)
        }
      }
    }
    close(pipe.writeEnd)
    if writtenErrors != errors { close(writtenErrors) }
    guard code == 0 else {
      close(pipe.readEnd)
      close(errors)
      throw .system("posix_spawn", errno: code)
    }
    self.id = id
    output = pipe.readEnd
    self.errors = errors
    self.folder = folder
  }

  deinit {
    if end == nil {
      kill(id, SIGKILL)
      waitpid(id, nil, 0)
    }
    closeOutput()
    close(errors)
  }

  // MARK: Output

  /// Reads the next line of standard output.
  ///
  /// - Parameter deadline: The time by which the line must arrive.
  /// - Returns: The line without its line end; `nil` after the last line.
  /// - Throws: `TestSystemError`.
  package func readLine(by deadline: Deadline = .soon) throws(TestSystemError) -> String? {
    while true {
      if let end = received.firstIndex(of: 10) {
        let line = String(decoding: received[..<end], as: UTF8.self)
        received.removeFirst(end + 1)
        return line
      }
      guard try receiveMore(by: deadline) else {
        defer { received.removeAll() }
        return received.isEmpty ? nil : String(decoding: received, as: UTF8.self)
      }
    }
  }

  /// Reads the rest of standard output, until the program closes it.
  ///
  /// - Parameter deadline: The time by which the program must close it.
  /// - Returns: The bytes.
  /// - Throws: `TestSystemError`.
  package func readOutput(by deadline: Deadline = .soon) throws(TestSystemError) -> [UInt8] {
    while try receiveMore(by: deadline) {}
    defer { received.removeAll() }
    return received
  }

  /// Waits for the line with the address of the service.
  ///
  /// - Parameter deadline: The time by which the line must arrive.
  /// - Returns: The port.
  /// - Throws: `TestSystemError`, with the content of standard error if the program prints
  ///   something else.
  package func readPort(by deadline: Deadline = .soon) throws(TestSystemError) -> UInt16 {
    let line = try readLine(by: deadline)
    guard let line, line.hasPrefix("listening on http"),
      let port = line.split(separator: ":").last.flatMap({ UInt16($0) })
    else { throw .malformed("\(line ?? "no line") and on standard error: \(standardError)") }
    return port
  }

  /// The content of standard error so far.
  package var standardError: String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = pread(errors, &buffer, buffer.count, off_t(bytes.count))
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer.prefix(count)
    }
  }

  /// Reads the next line of standard error, which must be a pipe.
  ///
  /// - Parameter deadline: The time by which the line must arrive.
  /// - Returns: The line without its line end; `nil` after the last line.
  /// - Throws: `TestSystemError`.
  package func readErrorLine(by deadline: Deadline = .soon) throws(TestSystemError) -> String? {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while true {
      try deadline.wait(toRead: errors)
      let count = read(errors, &byte, 1)
      guard count >= 0 else { throw .last("read") }
      guard count > 0, byte != UInt8(ascii: "\n") else {
        return count == 0 && line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
      }
      line.append(byte)
    }
  }

  /// Closes the reading end of standard output, so that the next write to it fails.
  package func closeOutput() {
    guard !hasClosedOutput else { return }
    hasClosedOutput = true
    close(output)
  }

  // MARK: End

  /// Sends a Unix signal; the corresponding C function is `kill`.
  ///
  /// - Parameter signal: The signal, such as `SIGTERM`.
  package func send(signal: Int32) {
    guard end == nil else { return }
    kill(id, signal)
  }

  /// Waits until the process ends, and buffers its standard output until then.
  ///
  /// - Parameter deadline: The time by which the process must end.
  /// - Returns: How the process ended.
  /// - Throws: `TestSystemError`.
  @discardableResult
  package func wait(by deadline: Deadline = .soon) throws(TestSystemError) -> End {
    if let end { return end }
    // The end closes standard output. Unlike the end itself, that can be awaited with a time limit.
    while try receiveMore(by: deadline) {}
    var status: Int32 = 0
    guard waitpid(id, &status, 0) == id else { throw .last("waitpid") }
    let how: End = status & 0x7F == 0 ? .exit(status >> 8 & 0xFF) : .signal(status & 0x7F)
    end = how
    return how
  }

  // MARK: Helpers

  /// Opens the destination of standard error.
  ///
  /// - Returns: The descriptors to read from and to write to, which may be the same.
  private static func open(
    _ output: ErrorOutput, in folder: TemporaryFolder
  ) throws(TestSystemError) -> (read: Int32, write: Int32) {
    switch output {
    case .file:
      let path = folder.path(of: "standard-error")
      let file = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND, 0o600)
      guard file >= 0 else { throw .last("open") }
      return (file, file)
    case .pipe:
      let pipe = try Pipe.make(size: 4096)
      return (pipe.readEnd, pipe.writeEnd)
    }
  }

  private func receiveMore(by deadline: Deadline) throws(TestSystemError) -> Bool {
    guard !hasClosedOutput else { return false }
    try deadline.wait(toRead: output)
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = read(output, &buffer, buffer.count)
    guard count >= 0 else { throw .last("read") }
    received += buffer.prefix(count)
    return count > 0
  }

  /// Returns the path of a product, which is next to the running test bundle.
  private static func path(of program: String) -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let bytes = buffer.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }
    let own = String(decoding: bytes, as: UTF8.self)
    return own.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/\(program)"
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
