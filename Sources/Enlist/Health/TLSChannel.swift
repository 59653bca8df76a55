internal import CGnuTLS
internal import Glibc

/// A TLS client connection over a connected socket.
///
/// The channel does not verify the certificate: the probe connects to its own machine under a name
/// that differs from the certificate's, and sends no secrets. The timeouts of the socket apply to
/// every call.
final class TLSChannel {
  private let session: gnutls_session_t
  private let credentials: gnutls_certificate_credentials_t

  /// Performs the TLS handshake.
  ///
  /// The corresponding C functions are `gnutls_init` and `gnutls_handshake`.
  ///
  /// - Parameter socket: The socket; the caller keeps ownership.
  /// - Throws: `HealthProbeError` if the handshake fails or does not finish in time.
  init(_ socket: Int32) throws(HealthProbeError) {
    var session: gnutls_session_t?
    var credentials: gnutls_certificate_credentials_t?
    guard gnutls_certificate_allocate_credentials(&credentials) >= 0, let credentials else {
      throw .noTLS
    }
    guard gnutls_init(&session, UInt32(GNUTLS_CLIENT.rawValue)) >= 0, let session else {
      gnutls_certificate_free_credentials(credentials)
      throw .noTLS
    }
    self.session = session
    self.credentials = credentials
    gnutls_set_default_priority(session)
    gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(credentials))
    gnutls_transport_set_int2(session, socket, socket)
    var code = gnutls_handshake(session)
    while code == GNUTLS_E_INTERRUPTED { code = gnutls_handshake(session) }
    guard code >= 0 else { throw Self.error(code) }
  }

  deinit {
    gnutls_deinit(session)
    gnutls_certificate_free_credentials(credentials)
  }

  /// Sends bytes that fit into one TLS record.
  func send(_ bytes: [UInt8]) throws(HealthProbeError) {
    let count = gnutls_record_send(session, bytes, bytes.count)
    guard count == bytes.count else { throw Self.error(Int32(clamping: count)) }
  }

  /// Receives some bytes.
  ///
  /// - Returns: The bytes, which are empty at the end of the stream; `nil` after a timeout, or
  ///   after a record without content, such as a session ticket.
  func receive() throws(HealthProbeError) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = gnutls_record_recv(session, &buffer, buffer.count)
    if count == Int(GNUTLS_E_AGAIN) { return nil }
    guard count >= 0 else { throw Self.error(Int32(clamping: count)) }
    return Array(buffer.prefix(count))
  }

  private static func error(_ code: Int32) -> HealthProbeError {
    code == GNUTLS_E_AGAIN ? .timeout : .noTLS
  }
}
