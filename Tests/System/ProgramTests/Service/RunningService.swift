import Glibc
import TestSupport

/// The service as a child process with its own database, on a free port.
struct RunningService {
  let folder: TemporaryFolder
  let process: ChildProcess
  let port: UInt16

  /// Starts the service, and waits until it accepts connections.
  ///
  /// - Parameters:
  ///   - arguments: Additional flags.
  ///   - folder: The folder of the database; `nil` makes a new folder.
  ///   - launcher: A program that starts the service.
  ///   - errorOutput: The destination of the log.
  /// - Throws: `TestSystemError` if the service does not report that it listens.
  init(
    _ arguments: [String] = [], in folder: TemporaryFolder? = nil, through launcher: [String] = [],
    errorOutput: ChildProcess.ErrorOutput = .file
  ) throws(TestSystemError) {
    if let folder { self.folder = folder } else { self.folder = try TemporaryFolder() }
    process = try ChildProcess(
      "enlist", ["serve", "--listen", "127.0.0.1:0"] + arguments, in: self.folder,
      through: launcher, errorOutput: errorOutput)
    port = try process.readPort()
  }

  /// Connects to the service.
  func connect() throws(TestSystemError) -> SocketClient {
    try SocketClient(port: port)
  }

  /// Sends a request on a new connection.
  func request(
    _ method: String, _ path: String, fields: [String] = [], body: String? = nil
  ) throws(TestSystemError) -> TestResponse {
    let client = try connect()
    try client.request(method, path, fields: fields, body: body)
    return try client.readResponse(to: method)
  }

  /// Signs an address up like a form.
  func signUp(_ address: String) throws(TestSystemError) -> TestResponse {
    try request(
      "POST", "/subscribers", fields: ["Content-Type: application/x-www-form-urlencoded"],
      body: "email=\(address)")
  }

  /// Waits until a number of sign-ups are executing.
  ///
  /// - Throws: `TestSystemError`, with the state of the command if it is another one after a minute.
  func waitForExecutions(_ count: Int) throws {
    var state = ""
    try Deadline(after: .seconds(60)).wait(orThrow: .malformed(state)) {
      state = try request("GET", "/commands/subscribe").text
      return state.contains(#""executing":\#(count),"#)
    }
  }

  /// Ends the service, which flushes its log before it exits.
  ///
  /// - Returns: The complete log.
  /// - Throws: `TestSystemError` if the service does not end.
  func endAndReadLog() throws(TestSystemError) -> String {
    process.send(signal: SIGTERM)
    try process.wait()
    return process.standardError
  }

  /// Returns the addresses that `enlist export` writes while the service is running.
  func exportedAddresses() throws(TestSystemError) -> [String] {
    let export = try ChildProcess("enlist", ["export"], in: folder)
    let lines = String(decoding: try export.readOutput(), as: UTF8.self).split(separator: "\r\n")
    guard try export.wait() == .exit(0) else { throw .malformed(export.standardError) }
    return lines.dropFirst().map { line in
      String(line.split(separator: ",", omittingEmptySubsequences: false)[1])
    }
  }
}
