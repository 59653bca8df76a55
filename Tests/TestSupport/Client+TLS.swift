internal import Glibc

extension Client {
  /// Starts TLS without verifying the peer's certificate.
  ///
  /// - Parameters:
  ///   - priorities: The supported protocols and ciphers, as a GnuTLS priority string.
  ///   - maximumRecordBytes: The maximum content of a record that the client accepts, at least 512
  ///     bytes; `nil` uses the default of GnuTLS.
  ///   - memory: A session to resume, if the peer agrees.
  ///   - time: The time within which the next bytes must arrive.
  package func shakeHands(
    _ priorities: String, maximumRecordBytes: Int? = nil,
    resuming memory: SecureSession.SessionMemory? = nil, within time: Duration = patience
  ) throws(TestSystemError) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    let session = try SecureSession(
      on: descriptor, priorities: priorities, maximumRecordBytes: maximumRecordBytes,
      resuming: memory)
    while try session.shakeHands() == nil { try wait(of: descriptor, within: time) }
    secure = session
  }

  /// Returns the session data for resuming the session on another connection.
  ///
  /// With TLS 1.3, the data exists only after something was received.
  package func rememberSession() throws(TestSystemError) -> SecureSession.SessionMemory {
    guard let secure else { throw .malformed("no TLS") }
    return try secure.remember()
  }

  /// Whether the handshake resumed an earlier session.
  package var isResumed: Bool { secure?.isResumed == true }

  /// The peer's certificate (DER); empty after a resumed handshake.
  package var peerCertificate: [UInt8] { secure?.peerCertificate ?? [] }

  /// Performs another handshake on the connection, which TLS 1.2 lets a client request.
  package func shakeHandsAgain(within time: Duration = patience) throws(TestSystemError) {
    guard let secure else { return }
    while try secure.shakeHands() == nil { try wait(of: descriptor, within: time) }
  }

  /// Whether the peer sent close_notify instead of only closing the connection.
  package var hasReceivedEnd: Bool { secure?.hasReceivedEnd == true }

  /// Updates the client's TLS key and requests a key update from the peer.
  package func askForAnotherKey() throws(TestSystemError) {
    try secure?.askForAnotherKey()
  }
}
