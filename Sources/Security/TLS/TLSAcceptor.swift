internal import CGnuTLS
internal import Glibc
internal import Signals

/// An acceptor that sets up TLS on the new connections of all event loops, with the identity that
/// is current at that moment.
///
/// libmicrohttpd reads a certificate once, when it starts. But it reports each connection after it
/// has set up its session and before the handshake. At that point the acceptor gives the session
/// the current certificate and the key for session tickets. All loops share one ticket key, because
/// the kernel chooses the loop that a returning client reaches.
package final class TLSAcceptor: Sendable {
  private let current: Lock<TLSServerKeys>

  /// Creates an acceptor with an identity and a new ticket key.
  ///
  /// Returns `nil` if GnuTLS has no memory or no random numbers.
  package init?(_ identity: TLSIdentity) {
    guard let keys = TLSServerKeys(identity) else { return nil }
    current = Lock(keys)
  }

  /// Uses an identity and a new ticket key for connections that are accepted from now on; callable
  /// from any thread.
  ///
  /// Open connections keep their keys. Tickets that were issued before are no longer accepted, so
  /// their holders see the new certificate.
  ///
  /// - Returns: Whether the identity is used; `false` if GnuTLS has no memory or no random numbers.
  package func use(_ identity: TLSIdentity) -> Bool {
    guard let keys = TLSServerKeys(identity) else { return false }
    current.withLock { $0 = keys }
    return true
  }

  /// Sets up TLS on a connection that was just accepted; call it before the handshake.
  ///
  /// - Parameters:
  ///   - session: The corresponding C type is `gnutls_session_t`.
  ///   - loop: The loop that drives the connection; `nil` if no event loop does.
  /// - Returns: An object that the caller must retain for as long as the connection is open.
  package func secure(
    session: OpaquePointer, descriptor: Int32, on loop: (any TLSHandshakeLoop)?
  ) -> SecureConnection {
    let keys = current.withLock { $0 }
    return SecureConnection(session: session, descriptor: descriptor, keys: keys, loop: loop)
  }
}

/// The current keys of new connections: a certificate with its key, and the ticket key.
// @unchecked Sendable because it is immutable.
final class TLSServerKeys: @unchecked Sendable {
  private let credentials: CertificateCredentials
  private let ticketKey: gnutls_datum_t

  /// Generates a new ticket key; the corresponding C function is
  /// `gnutls_session_ticket_key_generate`.
  init?(_ identity: TLSIdentity) {
    var key = gnutls_datum_t()
    guard gnutls_session_ticket_key_generate(&key) >= 0 else { return nil }
    ticketKey = key
    credentials = identity.credentials
  }

  deinit {
    gnutls_memset(ticketKey.data, 0, Int(ticketKey.size))
    free(ticketKey.data)
  }

  /// Sets the certificate of a session, and enables tickets for its resumption (RFC 8446 §4.6.1,
  /// RFC 5077).
  ///
  /// GnuTLS derives the key that encrypts tickets from the ticket key and the time, and accepts a
  /// ticket for six hours. The corresponding C function is `gnutls_session_ticket_enable_server`.
  ///
  /// - Returns: Whether the certificate is set. A failure to enable tickets is ignored: it only
  ///   makes the next handshake slower.
  func apply(to session: gnutls_session_t) -> Bool {
    var key = ticketKey
    gnutls_session_ticket_enable_server(session, &key)
    return credentials.use(for: session)
  }
}
