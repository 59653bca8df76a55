import Glibc
import TestSupport

/// The service as a process of its own, on a free port, with a database of its own.
struct RunningService {
  let folder: TemporaryFolder
  let process: ChildProcess
  let port: UInt16

  /// Starts a service, and waits until it accepts connections.
  ///
  /// - Parameters:
  ///   - arguments: More flags.
  ///   - folder: Where its database is; a new folder when there is none yet.
  ///   - launcher: A program that starts it.
  ///   - errorOutput: Where its log goes.
  /// - Throws: `TestSystemError` when it does not say that it listens.
  init(
    _ arguments: [String] = [],
    in folder: TemporaryFolder? = nil,
    through launcher: [String] = [],
    errorOutput: ChildProcess.ErrorOutput = .file
  ) throws(TestSystemError) {
    if let folder { self.folder = folder } else { self.folder = try TemporaryFolder() }
    process = try ChildProcess(
      "enlist",
      ["serve", "--listen", "127.0.0.1:0"] + arguments,
      in: self.folder,
      through: launcher,
      errorOutput: errorOutput
    )
    port = try process.readPort()
  }

  /// Connects to the service.
  func connect() throws(TestSystemError) -> SocketClient {
    try SocketClient(port: port)
  }

  /// Asks on a connection of its own.
  func request(
    _ method: String,
    _ path: String,
    fields: [String] = [],
    body: String? = nil
  ) throws(TestSystemError) -> TestResponse {
    let client = try connect()
    try client.request(method, path, fields: fields, body: body)
    return try client.readResponse(to: method)
  }

  /// Signs an address up, as a form does.
  func signUp(_ address: String) throws(TestSystemError) -> TestResponse {
    try request(
      "POST",
      "/subscribers",
      fields: ["Content-Type: application/x-www-form-urlencoded"],
      body: "email=\(address)"
    )
  }

  /// Ends the service, which writes what it has logged then at the latest.
  ///
  /// - Returns: All of its log.
  /// - Throws: `TestSystemError` when it does not end.
  func endAndReadLog() throws(TestSystemError) -> String {
    process.send(signal: SIGTERM)
    try process.wait()
    return process.standardError
  }

  /// The addresses that `enlist export` writes beside the running service.
  func exportedAddresses() throws(TestSystemError) -> [String] {
    let export = try ChildProcess("enlist", ["export"], in: folder)
    let lines = String(decoding: try export.readOutput(), as: UTF8.self).split(separator: "\r\n")
    guard try export.wait() == .exit(0) else { throw .malformed(export.standardError) }
    return lines.dropFirst().map { line in
      String(line.split(separator: ",", omittingEmptySubsequences: false)[1])
    }
  }
}
