internal import CGnuTLS
internal import Glibc

/// The client's side of a TLS connection over a connected socket; it never blocks.
package final class SecureSession {
  /// Whether the peer sent close_notify, which a socket closed without it does not do.
  private(set) var hasReceivedEnd = false

  private let session: gnutls_session_t
  private let credentials: gnutls_certificate_credentials_t

  /// Makes a session before its handshake; the corresponding C function is `gnutls_init`.
  ///
  /// - Parameters:
  ///   - descriptor: The socket, which must be non-blocking.
  ///   - priorities: The supported protocols and ciphers, as a GnuTLS priority string.
  ///   - maximumRecordBytes: The maximum content of a record that the client accepts, at least 512
  ///     bytes; `nil` uses the default of GnuTLS.
  ///   - memory: A session to resume, if the peer agrees.
  init(
    on descriptor: Int32, priorities: String, maximumRecordBytes: Int? = nil,
    resuming memory: SessionMemory? = nil
  ) throws(TestSystemError) {
    var session: gnutls_session_t?
    var credentials: gnutls_certificate_credentials_t?
    // Without GNUTLS_NO_SIGNAL, a server that has closed its end would end the tests by SIGPIPE.
    let flags = GNUTLS_CLIENT.rawValue | GNUTLS_NONBLOCK.rawValue | GNUTLS_NO_SIGNAL.rawValue
    guard gnutls_init(&session, UInt32(flags)) >= 0, let session,
      gnutls_certificate_allocate_credentials(&credentials) >= 0, let credentials
    else { throw .malformed("no session") }
    self.session = session
    self.credentials = credentials
    guard gnutls_priority_set_direct(session, priorities, nil) >= 0 else {
      throw .malformed(priorities)
    }
    gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(credentials))
    gnutls_transport_set_int2(session, descriptor, descriptor)
    if let maximumRecordBytes {
      guard gnutls_record_set_max_recv_size(session, maximumRecordBytes) >= 0 else {
        throw .malformed("\(maximumRecordBytes)")
      }
    }
    if let memory {
      guard gnutls_session_set_data(session, memory.bytes, memory.bytes.count) >= 0 else {
        throw .malformed("session memory")
      }
    }
  }

  /// The session data with which a client resumes a session on another connection.
  package struct SessionMemory: Sendable {
    fileprivate let bytes: [UInt8]
  }

  /// Returns the session data, which with TLS 1.3 exists only after something was received.
  func remember() throws(TestSystemError) -> SessionMemory {
    var datum = gnutls_datum_t()
    guard gnutls_session_get_data2(session, &datum) >= 0 else { throw .malformed("no memory") }
    defer { free(datum.data) }
    return SessionMemory(
      bytes: Array(UnsafeBufferPointer(start: datum.data, count: Int(datum.size))))
  }

  /// Whether the handshake resumed an earlier session.
  var isResumed: Bool { gnutls_session_is_resumed(session) != 0 }

  /// The peer's certificate (DER); empty after a resumed handshake.
  var peerCertificate: [UInt8] {
    var count: UInt32 = 0
    guard let list = gnutls_certificate_get_peers(session, &count), count > 0 else { return [] }
    return Array(UnsafeBufferPointer(start: list[0].data, count: Int(list[0].size)))
  }

  deinit {
    gnutls_deinit(session)
    gnutls_certificate_free_credentials(credentials)
  }

  /// Continues the handshake.
  ///
  /// - Returns: A value once the handshake is complete; `nil` if the caller must call again when
  ///   the socket is ready.
  func shakeHands() throws(TestSystemError) -> Void? {
    try count(Int(gnutls_handshake(session))).map { _ in }
  }

  /// Sends bytes, after any bytes that are still pending.
  ///
  /// - Returns: The number of bytes accepted; `nil` if the socket accepts no more at the moment.
  func send(_ bytes: UnsafeRawBufferPointer) throws(TestSystemError) -> Int? {
    try count(gnutls_record_send(session, bytes.baseAddress, bytes.count))
  }

  /// Receives bytes.
  ///
  /// - Returns: The number of bytes received, 0 at the end; `nil` if no byte is available.
  func receive(into buffer: UnsafeMutableRawBufferPointer) throws(TestSystemError) -> Int? {
    let result = gnutls_record_recv(session, buffer.baseAddress, buffer.count)
    if result == Int(GNUTLS_E_PREMATURE_TERMINATION) { return 0 }
    if result == 0 { hasReceivedEnd = true }
    return try count(result)
  }

  /// Sends close_notify; the corresponding C function is `gnutls_bye`.
  func finishSending() {
    gnutls_bye(session, GNUTLS_SHUT_WR)
  }

  /// Updates its own key and requests a key update from the peer (RFC 8446 §4.6.3).
  func askForAnotherKey() throws(TestSystemError) {
    _ = try count(Int(gnutls_session_key_update(session, UInt32(GNUTLS_KU_PEER))))
  }

  private func count(_ result: Int) throws(TestSystemError) -> Int? {
    switch result {
    case 0...: return result
    case Int(GNUTLS_E_AGAIN), Int(GNUTLS_E_INTERRUPTED): return nil
    default:
      throw .malformed(gnutls_strerror(Int32(result)).map { String(cString: $0) } ?? "\(result)")
    }
  }
}
