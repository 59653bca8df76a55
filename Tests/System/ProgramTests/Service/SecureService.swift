import Foundation
import TestSupport

/// The service as a child process with TLS and a replaceable certificate.
// @unchecked Sendable because connecting reads only constant state.
struct SecureService: @unchecked Sendable {
  let folder: TemporaryFolder
  let process: ChildProcess
  let port: UInt16

  /// Starts a service, and waits until it accepts connections.
  ///
  /// - Parameters:
  ///   - certificate: The certificate that the service presents.
  ///   - arguments: Additional flags.
  ///   - environment: Additional environment variables.
  /// - Throws: The error of starting the service.
  init(
    _ certificate: TestCertificate, _ arguments: [String] = [], environment: [String: String] = [:]
  ) throws {
    folder = try TemporaryFolder()
    try Self.write(certificate, to: folder)
    process = try ChildProcess(
      "enlist",
      ["serve", "--listen", "127.0.0.1:0", "--tls-certificate", "tls.crt", "--tls-key", "tls.key"]
        + arguments,
      environment: environment,
      in: folder
    )
    port = try process.readPort()
  }

  /// Overwrites the files with another certificate, and makes the service reload them.
  func reload(_ certificate: TestCertificate) throws {
    try Self.write(certificate, to: folder)
    process.send(signal: SIGHUP)
  }

  /// Connects to the service.
  ///
  /// - Parameter version: The TLS version in a GnuTLS priority string.
  /// - Returns: The client's side of the connection.
  /// - Throws: `TestSystemError`.
  func connect(_ version: String = "TLS1.3") throws(TestSystemError) -> SocketClient {
    let client = try SocketClient(port: port)
    try client.shakeHands("NORMAL:-VERS-ALL:+VERS-\(version)")
    return client
  }

  /// Connects repeatedly until the service presents a certificate.
  func waitForNewConnections(toSee certificate: TestCertificate) throws {
    try Deadline.soon.wait { try connect().peerCertificate == certificate.encoded }
  }

  /// Waits until the log has a number of lines that contain a text.
  func waitForLog(_ text: String, count: Int = 1) throws {
    try Deadline.soon.wait(orThrow: .malformed(process.standardError)) {
      let lines = process.standardError.split(separator: "\n")
      return lines.count { $0.contains(text) } >= count
    }
  }

  private static func write(_ certificate: TestCertificate, to folder: TemporaryFolder) throws {
    try folder.write(String(decoding: certificate.certificate, as: UTF8.self), to: "tls.crt")
    try folder.write(String(decoding: certificate.key, as: UTF8.self), to: "tls.key")
  }
}
