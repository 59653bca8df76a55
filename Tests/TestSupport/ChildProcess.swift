internal import Foundation
internal import Glibc

/// The built program as a process of its own, which never outlives its test.
///
/// It belongs to one test. Standard output is read line by line; standard error goes to a file,
/// so that a program which logs a lot is never held up by a test that does not read.
package final class ChildProcess {
  /// How a process has ended.
  package enum End: Hashable, Sendable {
    /// By itself, with this code.
    case exit(Int32)
    /// By this Unix signal.
    case signal(Int32)
  }

  /// The number that the system gave it.
  package let id: Int32

  private let output: Int32
  private let errors: Int32
  private var received: [UInt8] = []
  private var hasClosedOutput = false
  private var end: End?

  /// Starts a program of the package, beside which the tests were built.
  ///
  /// The corresponding C function is `posix_spawn`.
  ///
  /// - Parameters:
  ///   - program: The name of the executable product; `enlist`, as it is called where it is
  ///     installed, stands for the one of the target `Enlist`.
  ///   - arguments: What follows the program's name.
  ///   - environment: What is set beside the environment of the test; `ENLIST_…` of the latter is
  ///     not passed on.
  ///   - input: What it reads from standard input.
  ///   - folder: Where it runs.
  ///   - launcher: A program that starts it, with its arguments, such as `prlimit --fsize=4096`;
  ///     looked up in `PATH`.
  /// - Throws: `TestSystemError`.
  package init(
    _ program: String = "enlist",
    _ arguments: [String] = [],
    environment: [String: String] = [:],
    input: [UInt8] = [],
    in folder: TemporaryFolder? = nil,
    through launcher: [String] = []
  ) throws(TestSystemError) {
    let pipes = try Inheritance.without { () throws(TestSystemError) in
      var pipes: [Int32] = [-1, -1]
      guard pipe(&pipes) == 0 else { throw .last("pipe") }
      return pipes
    }
    let folderOfErrors = try TemporaryFolder()
    let errors = open(
      folderOfErrors.path(of: "standard-error"),
      O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND,
      0o600
    )
    guard errors >= 0 else { throw .last("open") }
    let inputFile = folderOfErrors.path(of: "standard-input")
    guard (try? Data(input).write(to: URL(filePath: inputFile))) != nil else {
      throw .last("write")
    }

    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    defer { posix_spawn_file_actions_destroy(&files) }
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, inputFile, O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&files, pipes[1], STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO)

    // A test runs on a thread that blocks Unix signals; the program must not inherit that.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(
      &attributes,
      Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)
    )

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
    close(pipes[1])
    guard code == 0 else {
      close(pipes[0])
      close(errors)
      throw .system("posix_spawn", errno: code)
    }
    self.id = id
    output = pipes[0]
    self.errors = errors
  }

  deinit {
    if end == nil {
      kill(id, SIGKILL)
      waitpid(id, nil, 0)
    }
    closeOutput()
    close(errors)
  }

  // MARK: What it says

  /// Reads the next line of standard output.
  ///
  /// - Parameter deadline: By when it must have come.
  /// - Returns: The line without its end; `nil` when there are no more.
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

  /// Reads all of standard output that was not read before, until the program closes it.
  ///
  /// - Parameter deadline: By when it must have closed it.
  /// - Returns: The bytes.
  /// - Throws: `TestSystemError`.
  package func readOutput(by deadline: Deadline = .soon) throws(TestSystemError) -> [UInt8] {
    while try receiveMore(by: deadline) {}
    defer { received.removeAll() }
    return received
  }

  /// Waits for the line that tells where the service listens.
  ///
  /// - Parameter deadline: By when it must have come.
  /// - Returns: The port.
  /// - Throws: `TestSystemError`, with standard error when the program says something else.
  package func readPort(by deadline: Deadline = .soon) throws(TestSystemError) -> UInt16 {
    let line = try readLine(by: deadline)
    guard let line, line.hasPrefix("listening on http://"),
      let port = line.split(separator: ":").last.flatMap({ UInt16($0) })
    else { throw .malformed("\(line ?? "no line") and on standard error: \(standardError)") }
    return port
  }

  /// What it has written to standard error so far.
  package var standardError: String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = pread(errors, &buffer, buffer.count, off_t(bytes.count))
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer.prefix(count)
    }
  }

  /// Stops reading standard output: the next write to it fails.
  package func closeOutput() {
    guard !hasClosedOutput else { return }
    hasClosedOutput = true
    close(output)
  }

  // MARK: How it ends

  /// Sends a Unix signal; the corresponding C function is `kill`.
  ///
  /// - Parameter signal: Which, such as `SIGTERM`.
  package func send(signal: Int32) {
    guard end == nil else { return }
    kill(id, signal)
  }

  /// Waits until the process has ended; keeps what it writes to standard output until then.
  ///
  /// - Parameter deadline: By when it must have.
  /// - Returns: How.
  /// - Throws: `TestSystemError`.
  @discardableResult
  package func wait(by deadline: Deadline = .soon) throws(TestSystemError) -> End {
    if let end { return end }
    // Its end closes standard output, which unlike the end itself can be waited for with a limit.
    while try receiveMore(by: deadline) {}
    var status: Int32 = 0
    guard waitpid(id, &status, 0) == id else { throw .last("waitpid") }
    let how: End = status & 0x7F == 0 ? .exit(status >> 8 & 0xFF) : .signal(status & 0x7F)
    end = how
    return how
  }

  // MARK: Parts

  private func receiveMore(by deadline: Deadline) throws(TestSystemError) -> Bool {
    guard !hasClosedOutput else { return false }
    var waiting = [pollfd(fd: output, events: Int16(POLLIN), revents: 0)]
    try deadline.wait(for: &waiting)
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = read(output, &buffer, buffer.count)
    guard count >= 0 else { throw .last("read") }
    received += buffer.prefix(count)
    return count > 0
  }

  /// Products lie beside the bundle of tests, which is the program that runs.
  private static func path(of program: String) -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let octets = buffer.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }
    let own = String(decoding: octets, as: UTF8.self)
    let product = program == "enlist" ? "Enlist" : program
    return own.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/\(product)"
  }

  /// Lends texts as C knows them: pointers to strings, then a null pointer.
  private static func withPointers<Result>(
    to texts: [String],
    _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    var pointers: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return body(&pointers)
  }
}
