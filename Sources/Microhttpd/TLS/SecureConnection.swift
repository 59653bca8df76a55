internal import CGnuTLS
internal import CMicrohttpd
internal import Glibc

/// What a connection over TLS has beside libmicrohttpd's session: the keys that the session uses, and
/// a look at what it receives.
///
/// TLS 1.2 lets a client start another handshake at any time, which costs it nothing and the service
/// much. GnuTLS reports that only after the fact and libmicrohttpd then just closes, so the records
/// are watched as they come in: a handshake after the handshake gets the alert `handshake_failure`
/// (RFC 5746 §4.5), and the connection ends.
///
/// libmicrohttpd 0.9.75 takes a connection whose handshake waits for the client for one that can be
/// read, and asks it again and again, so the loop is told when nothing has come.
// Used on the loop's thread only, and outlives the session, which keeps pointers into it.
final class SecureConnection {
  /// The session keeps a pointer to the credentials in it.
  private let keys: TLSServerKeys
  private let session: gnutls_session_t
  private let descriptor: Int32
  private let loop: EventLoop?
  private var records = TLSRecordScanner()
  /// Whether the client has said all that belongs to the handshake.
  private var hasShakenHands = false
  private var isRejected = false

  /// Takes over what a session receives.
  ///
  /// - Parameters:
  ///   - session: The session of a connection that has not begun its handshake.
  ///   - descriptor: Its socket, which does not block.
  ///   - keys: What it is secured with.
  ///   - loop: The loop that drives the connection; `nil` when nothing waits.
  init(session: gnutls_session_t, descriptor: Int32, keys: TLSServerKeys, loop: EventLoop?) {
    self.session = session
    self.loop = loop
    self.descriptor = descriptor
    self.keys = keys
    // What libmicrohttpd has set stays where this fails, for lack of memory.
    _ = keys.apply(to: session)
    gnutls_transport_set_ptr2(
      session,
      Unmanaged.passUnretained(self).toOpaque(),
      UnsafeMutableRawPointer(bitPattern: Int(descriptor))
    )
    gnutls_transport_set_pull_function(session) { context, buffer, count in
      guard let context, let buffer else { return -1 }
      // Kept by its connection, whose session asks.
      return Unmanaged<SecureConnection>.fromOpaque(context)._withUnsafeGuaranteedRef {
        $0.receive(UnsafeMutableRawBufferPointer(start: buffer, count: count))
      }
    }
    gnutls_handshake_set_hook_function(
      session,
      UInt32(GNUTLS_HANDSHAKE_FINISHED.rawValue),
      GNUTLS_HOOK_POST
    ) { session, _, _, isIncoming, _ in
      guard let session, isIncoming != 0 else { return 0 }
      var context: gnutls_transport_ptr_t?
      var descriptor: gnutls_transport_ptr_t?
      gnutls_transport_get_ptr2(session, &context, &descriptor)
      guard let context else { return 0 }
      Unmanaged<SecureConnection>.fromOpaque(context).takeUnretainedValue().hasShakenHands = true
      return 0
    }
  }

  /// Receives for the session; the corresponding C function is `recv`.
  private func receive(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard !isRejected else { return fail(with: ECONNRESET) }
    let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
    guard count > 0 else {
      if count == 0 { return 0 }
      let number = errno
      if number == EAGAIN, !hasShakenHands { loop?.awaitHandshake() }
      return fail(with: number)
    }
    let received = UnsafeRawBufferPointer(rebasing: buffer[..<count])
    guard records.beginsHandshakeRecord(received), hasShakenHands else { return count }
    isRejected = true
    gnutls_alert_send(session, GNUTLS_AL_FATAL, GNUTLS_A_HANDSHAKE_FAILURE)
    // With bytes of the client unread, the kernel would reset the connection and drop the alert.
    recv(descriptor, nil, 1 << 20, Int32(MSG_TRUNC) | Int32(MSG_DONTWAIT))
    return fail(with: ECONNRESET)
  }

  private func fail(with number: Int32) -> Int {
    gnutls_transport_set_errno(session, number)
    return -1
  }
}
