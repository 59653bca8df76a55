internal import CGnuTLS

/// A TLS client connection over a connected nonblocking socket.
///
/// No call waits: it throws `TLSClientError.pending`, and the same call continues later.
///
/// The client does not verify the certificate: it connects to its own machine under a name that
/// differs from the certificate's, and sends no secrets.
package final class TLSClient {
  private let session: gnutls_session_t
  private let credentials: gnutls_certificate_credentials_t

  /// Creates a client before its handshake; the caller keeps ownership of the socket.
  ///
  /// Returns `nil` if there is not enough memory. The corresponding C function is `gnutls_init`.
  package init?(_ descriptor: Int32) {
    var session: gnutls_session_t?
    var credentials: gnutls_certificate_credentials_t?
    guard gnutls_certificate_allocate_credentials(&credentials) >= 0, let credentials else {
      return nil
    }
    // GNUTLS_NO_SIGNAL: SIGPIPE would end the process if the server has closed its end.
    let flags = GNUTLS_CLIENT.rawValue | GNUTLS_NO_SIGNAL.rawValue | GNUTLS_NONBLOCK.rawValue
    guard gnutls_init(&session, UInt32(flags)) >= 0, let session else {
      gnutls_certificate_free_credentials(credentials)
      return nil
    }
    self.session = session
    self.credentials = credentials
    gnutls_set_default_priority(session)
    gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(credentials))
    gnutls_transport_set_int2(session, descriptor, descriptor)
  }

  deinit {
    gnutls_deinit(session)
    gnutls_certificate_free_credentials(credentials)
  }

  /// Begins or continues the handshake; the corresponding C function is `gnutls_handshake`.
  package func handshake() throws(TLSClientError) {
    var code = gnutls_handshake(session)
    while code == GNUTLS_E_INTERRUPTED { code = gnutls_handshake(session) }
    guard code >= 0 else { throw TLSClientError(Int(code)) }
  }

  /// Sends at most 16 KiB in one TLS record; the corresponding C function is `gnutls_record_send`.
  ///
  /// - Throws: `TLSClientError`; after `pending`, the next call must send the same bytes.
  package func send(_ bytes: [UInt8]) throws(TLSClientError) {
    let count = gnutls_record_send(session, bytes, bytes.count)
    guard count == bytes.count else { throw TLSClientError(count) }
  }

  /// Receives some bytes, none at the end of the session; the corresponding C function is
  /// `gnutls_record_recv`.
  ///
  /// - Throws: `TLSClientError`; `pending` also after a record without content, such as a session
  ///   ticket.
  package func receive(_ maximumCount: Int) throws(TLSClientError) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: maximumCount)
    let count = gnutls_record_recv(session, &buffer, buffer.count)
    guard count >= 0 else { throw TLSClientError(count) }
    return Array(buffer.prefix(count))
  }
}

/// The reason why a call to a TLS client has no result.
package enum TLSClientError: Error, Hashable, Sendable {
  /// The socket has no bytes, or accepts none, at the moment.
  case pending
  /// The other end does not speak TLS, or has closed the connection.
  case failed

  init(_ code: Int) {
    switch code {
    case Int(GNUTLS_E_AGAIN), Int(GNUTLS_E_INTERRUPTED): self = .pending
    default: self = .failed
    }
  }
}
