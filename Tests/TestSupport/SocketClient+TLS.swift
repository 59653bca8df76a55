internal import Glibc

extension SocketClient {
  /// Goes on with TLS, to whomever.
  ///
  /// - Parameters:
  ///   - priorities: What it speaks, as GnuTLS writes it.
  ///   - maximumRecordBytes: How much content it takes in one record, from 512; `nil` leaves it to
  ///     GnuTLS.
  ///   - memory: A session to resume, if the other side agrees.
  ///   - deadline: By when hands must be shaken.
  /// - Throws: `TestSystemError`.
  package func shakeHands(
    _ priorities: String,
    maximumRecordBytes: Int? = nil,
    resuming memory: SecureSession.SessionMemory? = nil,
    by deadline: Deadline = .soon
  ) throws(TestSystemError) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    let session = try SecureSession(
      on: descriptor,
      priorities: priorities,
      maximumRecordBytes: maximumRecordBytes,
      resuming: memory
    )
    while try session.shakeHands() == nil { try wait(for: POLLIN, by: deadline) }
    secure = session
  }

  /// What there is to remember of the session, to resume it on another connection; with TLS 1.3 after
  /// something was received.
  ///
  /// - Throws: `TestSystemError`.
  package func rememberSession() throws(TestSystemError) -> SecureSession.SessionMemory {
    guard let secure else { throw .malformed("no TLS") }
    return try secure.remember()
  }

  /// Whether the handshake has resumed an earlier session.
  package var isResumed: Bool { secure?.isResumed == true }

  /// The certificate that the other side has presented, DER; empty when it resumed a session.
  package var peerCertificate: [UInt8] { secure?.peerCertificate ?? [] }

  /// Shakes hands once more on the connection, as TLS 1.2 allows a client to ask for.
  ///
  /// - Parameter deadline: By when hands must be shaken.
  /// - Throws: `TestSystemError`.
  package func shakeHandsAnew(by deadline: Deadline = .soon) throws(TestSystemError) {
    guard let secure else { return }
    while try secure.shakeHands() == nil { try wait(for: POLLIN, by: deadline) }
  }

  /// Whether the other side has said in TLS that nothing follows, and did not just close.
  package var hasReceivedEnd: Bool { secure?.hasReceivedEnd == true }

  /// Asks the other side for another key of TLS, and takes one itself.
  ///
  /// - Throws: `TestSystemError`.
  package func askForAnotherKey() throws(TestSystemError) {
    try secure?.askForAnotherKey()
  }
}
