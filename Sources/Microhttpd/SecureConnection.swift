internal import CGnuTLS
internal import CMicrohttpd
internal import Glibc
internal import Security
internal import Signals

/// An acceptor that sets up TLS on the new connections of all event loops, with the identity that
/// is current at that moment.
///
/// libmicrohttpd reads a certificate once, when it starts. But it reports each connection after it
/// has set up its session and before the handshake. At that point the acceptor gives the session
/// the current certificate and the key for session tickets. All loops share one ticket key, because
/// the kernel chooses the loop that a returning client reaches.
final class TLSAcceptor: Sendable {
  private let current: Lock<TLSServerKeys>

  /// Returns `nil` if GnuTLS has no memory or no random numbers.
  init?(_ identity: TLSIdentity) {
    guard let keys = TLSServerKeys(identity) else { return nil }
    current = Lock(keys)
  }

  /// Uses an identity and a new ticket key for connections that are accepted from now on; `false` if
  /// GnuTLS has no memory or no random numbers.
  ///
  /// Callable from any thread. Open connections keep their keys. Tickets that were issued before are
  /// no longer accepted, so their holders see the new certificate.
  func use(_ identity: TLSIdentity) -> Bool {
    guard let keys = TLSServerKeys(identity) else { return false }
    current.withLock { $0 = keys }
    return true
  }

  /// Sets up TLS on a connection that was just accepted; call it before the handshake.
  ///
  /// The caller retains the result for as long as the connection is open.
  func secure(
    session: OpaquePointer, descriptor: Int32, on loop: HTTPLoop
  ) -> SecureConnection {
    SecureConnection(
      session: session, descriptor: descriptor, keys: current.withLock { $0 }, loop: loop)
  }
}

/// The current keys of new connections: a certificate with its key, and the ticket key.
// @unchecked Sendable because it is immutable.
final class TLSServerKeys: @unchecked Sendable {
  private let credentials: CertificateCredentials
  private let ticketKey: gnutls_datum_t

  /// Generates a new ticket key.
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
  /// ticket for six hours. A failure to enable tickets only makes the next handshake slower.
  ///
  /// - Returns: Whether the certificate is set.
  func apply(to session: gnutls_session_t) -> Bool {
    var key = ticketKey
    gnutls_session_ticket_enable_server(session, &key)
    return credentials.use(for: session)
  }
}

/// An addition to libmicrohttpd's session of a TLS connection: it owns the keys that the session
/// uses, and inspects the bytes that the session receives.
///
/// TLS 1.2 allows a client to start another handshake at any time, which is cheap for the client
/// and expensive for the service. GnuTLS reports that handshake only afterwards, and libmicrohttpd
/// then closes the connection without an alert. So the incoming records are scanned: a second
/// handshake gets the alert `handshake_failure` (RFC 5746 §4.5), and the connection ends.
///
/// If a handshake fails, libmicrohttpd also closes the connection without an alert, and only
/// reports it in a message; see ``rejectHandshake()``.
///
/// libmicrohttpd 0.9.75 treats a connection whose handshake waits for the client as readable, and
/// reads from it continuously. So the loop is notified when no byte has arrived.
// Used on the loop's thread only. It must outlive the session, which keeps pointers to it.
final class SecureConnection {
  /// The session keeps a pointer to the credentials in it.
  private let keys: TLSServerKeys
  private let session: gnutls_session_t
  private let descriptor: Int32
  private let loop: HTTPLoop
  private var records = TLSRecordScanner()
  private var hasFinishedHandshake = false
  /// Whether the client supports no version from TLS 1.2 on.
  private var isOutdated = false
  private var isRejected = false

  /// Takes over the receiving direction of a session.
  init(
    session: gnutls_session_t, descriptor: Int32, keys: TLSServerKeys, loop: HTTPLoop
  ) {
    self.session = session
    self.loop = loop
    self.descriptor = descriptor
    self.keys = keys
    // If this fails for lack of memory, the session keeps the certificate that libmicrohttpd has
    // set.
    _ = keys.apply(to: session)
    gnutls_transport_set_ptr2(
      session, Unmanaged.passUnretained(self).toOpaque(),
      UnsafeMutableRawPointer(bitPattern: Int(descriptor)))
    gnutls_transport_set_pull_function(session) { context, buffer, count in
      guard let context, let buffer else { return -1 }
      // Retained by the connection whose session calls this.
      return Unmanaged<SecureConnection>.fromOpaque(context)._withUnsafeGuaranteedRef {
        $0.receive(UnsafeMutableRawBufferPointer(start: buffer, count: count))
      }
    }
    gnutls_handshake_set_hook_function(session, gnutls_any_handshake, GNUTLS_HOOK_BOTH) {
      session,
      type,
      when,
      isIncoming,
      message in
      guard let session, isIncoming != 0 else { return 0 }
      var context: gnutls_transport_ptr_t?
      var descriptor: gnutls_transport_ptr_t?
      gnutls_transport_get_ptr2(session, &context, &descriptor)
      guard let context else { return 0 }
      let connection = Unmanaged<SecureConnection>.fromOpaque(context).takeUnretainedValue()
      if type == GNUTLS_HANDSHAKE_CLIENT_HELLO.rawValue, let message {
        connection.helloArrived(
          UnsafeRawBufferPointer(start: message.pointee.data, count: Int(message.pointee.size)))
      } else if type == GNUTLS_HANDSHAKE_FINISHED.rawValue, when == UInt32(GNUTLS_HOOK_POST) {
        connection.finishedHandshake()
      }
      return 0
    }
  }

  /// Reads the version in a ClientHello, which is 1.2 for later versions too (RFC 8446 §4.1.2).
  private func helloArrived(_ message: UnsafeRawBufferPointer) {
    isOutdated = message.count >= 2 && (message[0], message[1]) < (3, 3)
  }

  private func finishedHandshake() {
    hasFinishedHandshake = true
    loop.handshaking = nil
    loop.handshakeFinished(of: self)
    // The service sends nothing at this point of TLS 1.3, so the kernel would delay the
    // acknowledgment by 40 ms. A client with Nagle's algorithm holds back its request until then.
    var isOn: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_QUICKACK, &isOn, size)
  }

  /// Sends an alert to a client whose handshake has failed (RFC 8446 §6.2), before libmicrohttpd
  /// closes the connection.
  func rejectHandshake() {
    guard !isRejected else { return }
    reject(with: isOutdated ? GNUTLS_A_PROTOCOL_VERSION : GNUTLS_A_HANDSHAKE_FAILURE)
  }

  private func reject(with alert: gnutls_alert_description_t) {
    isRejected = true
    gnutls_alert_send(session, GNUTLS_AL_FATAL, alert)
    // With unread bytes from the client, the kernel would reset the connection and drop the alert.
    recv(descriptor, nil, 1 << 20, Int32(MSG_TRUNC) | Int32(MSG_DONTWAIT))
  }

  /// Sends the last bytes before the connection is closed, or an alert if the handshake has not
  /// ended; bytes that the socket does not accept immediately are lost.
  func sendLast(_ bytes: [UInt8]) {
    if hasFinishedHandshake {
      _ = gnutls_record_send(session, bytes, bytes.count)
    } else {
      rejectHandshake()
    }
  }

  /// Receives for the session.
  private func receive(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard !isRejected else { return fail(with: ECONNRESET) }
    let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
    if !hasFinishedHandshake { loop.handshaking = count > 0 ? self : nil }
    guard count > 0 else {
      if count == 0 { return 0 }
      let number = errno
      if number == EAGAIN, !hasFinishedHandshake { loop.awaitHandshake() }
      return fail(with: number)
    }
    loop.bytesArrived()
    let received = UnsafeRawBufferPointer(rebasing: buffer[..<count])
    guard records.beginsHandshakeRecord(received), hasFinishedHandshake else { return count }
    reject(with: GNUTLS_A_HANDSHAKE_FAILURE)
    return fail(with: ECONNRESET)
  }

  private func fail(with number: Int32) -> Int {
    gnutls_transport_set_errno(session, number)
    return -1
  }
}

/// A scanner that finds the headers of TLS records and their content types in received bytes (RFC
/// 8446 §5.1; the format is the same in TLS 1.2).
struct TLSRecordScanner {
  private static let handshake: UInt8 = 22
  private static let headerBytes = 5

  /// The number of header bytes seen so far, from 0 to 4.
  private var seenHeaderBytes = 0
  private var contentBytes = 0
  /// The number of content bytes of the current record that have not arrived yet.
  private var remainingContentBytes = 0

  /// Scans the next bytes of the connection, which may be split at any position.
  mutating func beginsHandshakeRecord(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var found = false
    var index = 0
    while index < bytes.count {
      if remainingContentBytes > 0 {
        let count = min(remainingContentBytes, bytes.count - index)
        remainingContentBytes -= count
        index += count
        continue
      }
      let byte = bytes[index]
      index += 1
      switch seenHeaderBytes {
      case 0: if byte == Self.handshake { found = true }
      case 3: contentBytes = Int(byte) << 8
      case 4: remainingContentBytes = contentBytes | Int(byte)
      default: break  // the version
      }
      seenHeaderBytes = (seenHeaderBytes + 1) % Self.headerBytes
    }
    return found
  }
}
