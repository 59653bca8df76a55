internal import CGnuTLS
internal import CMicrohttpd
internal import Glibc
internal import Locks

/// Secures the connections of all event loops as they are accepted, each with the identity that is
/// current at that moment.
///
/// libmicrohttpd reads a certificate once, when it starts. But it announces each connection after it
/// has set up its session and before the handshake, so this is where the session gets the current
/// certificate, and the key for session tickets: one for all loops, because the kernel decides which
/// of them a returning client reaches.
final class TLSAcceptor: Sendable {
  private let current: Lock<TLSServerKeys>

  /// Makes an acceptor with an identity and a fresh ticket key.
  ///
  /// There is none when GnuTLS has no memory or no random numbers.
  init?(_ identity: TLSIdentity) {
    guard let keys = TLSServerKeys(identity) else { return nil }
    current = Lock(keys)
  }

  /// Uses an identity, and a fresh ticket key, for connections that are accepted from now on; from
  /// any thread.
  ///
  /// Open connections keep what they have. Tickets that were issued before are no longer accepted:
  /// their holders see the new certificate.
  ///
  /// - Returns: Whether it does; `false` when GnuTLS has no memory or no random numbers.
  func use(_ identity: TLSIdentity) -> Bool {
    guard let keys = TLSServerKeys(identity) else { return false }
    current.withLock { $0 = keys }
    return true
  }

  /// Secures a connection that was just accepted; call it before the handshake.
  ///
  /// - Parameters:
  ///   - connection: The connection.
  ///   - loop: The loop that drives it; `nil` when nothing waits.
  /// - Returns: What the session uses, to be kept for as long as the connection is open; `nil` for a
  ///   connection without TLS.
  func secure(_ connection: OpaquePointer, on loop: EventLoop?) -> SecureConnection? {
    guard let session = cmicrohttpd_tls_session(connection) else { return nil }
    let keys = current.withLock { $0 }
    return SecureConnection(
      session: session,
      descriptor: cmicrohttpd_descriptor(connection),
      keys: keys,
      loop: loop
    )
  }
}

/// What connections are secured with for a time: a certificate, and the key of session tickets.
// @unchecked Sendable because nothing of it changes.
final class TLSServerKeys: @unchecked Sendable {
  private let credentials: CertificateCredentials
  private let ticketKey: gnutls_datum_t

  /// Makes a fresh ticket key; the corresponding C function is `gnutls_session_ticket_key_generate`.
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

  /// Sets up a session: the certificate, and tickets with which it can be resumed (RFC 8446 §4.6.1,
  /// RFC 5077).
  ///
  /// GnuTLS derives the key that encrypts tickets from this one and the time, and accepts a ticket
  /// for six hours. The corresponding C function is `gnutls_session_ticket_enable_server`.
  ///
  /// - Returns: Whether it has the certificate. Without tickets it only is slower to come back to.
  func apply(to session: gnutls_session_t) -> Bool {
    var key = ticketKey
    gnutls_session_ticket_enable_server(session, &key)
    return credentials.use(for: session)
  }
}
