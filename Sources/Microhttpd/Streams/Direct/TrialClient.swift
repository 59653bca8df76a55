internal import CGnuTLS
internal import CMicrohttpd
internal import Glibc

/// The client of a ``TakeoverProbe``, which sends one request and never blocks.
final class TrialClient {
  /// The bytes that have been received.
  private(set) var received: [UInt8] = []
  /// Whether the other side has ended the connection, or the TLS session if there is one.
  private(set) var hasEnded = false

  private let descriptor: Int32
  private var session: gnutls_session_t?
  private var credentials: gnutls_certificate_credentials_t?
  private var unsentRequest: [UInt8] = []

  /// Creates a client that has sent no request.
  ///
  /// Returns `nil` if there is not enough memory.
  ///
  /// - Parameters:
  ///   - descriptor: The socket, which the caller closes.
  ///   - isSecure: Whether to use TLS, without verifying the certificate.
  init?(_ descriptor: Int32, isSecure: Bool) {
    self.descriptor = descriptor
    guard isSecure else { return }
    // GNUTLS_NO_SIGNAL: SIGPIPE would end the process if the daemon has closed its end.
    let flags = GNUTLS_CLIENT.rawValue | GNUTLS_NONBLOCK.rawValue | GNUTLS_NO_SIGNAL.rawValue
    guard gnutls_init(&session, UInt32(flags)) >= 0, let session else { return nil }
    guard gnutls_certificate_allocate_credentials(&credentials) >= 0 else { return nil }
    gnutls_set_default_priority(session)
    gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, credentials.map { .init($0) })
    gnutls_transport_set_int2(session, descriptor, descriptor)
  }

  deinit {
    if let session { gnutls_deinit(session) }
    if let credentials { gnutls_certificate_free_credentials(credentials) }
  }

  /// Sends a request, with TLS after the handshake.
  func request(_ text: String) {
    unsentRequest = Array(text.utf8)
    advance()
  }

  /// Continues with the handshake, the request and the response, as far as possible without
  /// blocking.
  func advance() {
    if !unsentRequest.isEmpty {
      if let session, gnutls_handshake(session) < 0 { return }
      guard send(unsentRequest) == unsentRequest.count else { return }
      unsentRequest = []
    }
    var buffer = [UInt8](repeating: 0, count: 1024)
    while !hasEnded {
      let count = receive(&buffer)
      guard count >= 0 else { return }
      received += buffer[..<count]
      hasEnded = count == 0
    }
  }

  private func send(_ bytes: [UInt8]) -> Int {
    guard let session else {
      return Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
    return gnutls_record_send(session, bytes, bytes.count)
  }

  private func receive(_ buffer: inout [UInt8]) -> Int {
    guard let session else { return recv(descriptor, &buffer, buffer.count, 0) }
    return gnutls_record_recv(session, &buffer, buffer.count)
  }
}
