internal import CGnuTLS
internal import Glibc

/// The loop that drives connections whose handshake may have to wait for the client.
package protocol TLSHandshakeLoop: AnyObject {
  /// Takes note that a handshake waits for bytes that have not arrived; called on the loop's thread.
  func awaitHandshake()
}

/// An addition to libmicrohttpd's session of a TLS connection: it owns the keys that the session
/// uses, and inspects the bytes that the session receives.
///
/// TLS 1.2 allows a client to start another handshake at any time, which is cheap for the client
/// and expensive for the service. GnuTLS reports that handshake only afterwards, and libmicrohttpd
/// then closes the connection without an alert. So the incoming records are scanned: a second
/// handshake gets the alert `handshake_failure` (RFC 5746 §4.5), and the connection ends.
///
/// libmicrohttpd 0.9.75 treats a connection whose handshake waits for the client as readable, and
/// reads from it continuously. So the loop is notified when no byte has arrived.
// Used on the loop's thread only. It must outlive the session, which keeps pointers to it.
package final class SecureConnection {
  /// The session keeps a pointer to the credentials in it.
  private let keys: TLSServerKeys
  private let session: gnutls_session_t
  private let descriptor: Int32
  private let loop: (any TLSHandshakeLoop)?
  private var records = TLSRecordScanner()
  /// Whether the client has finished its part of the handshake.
  private var hasFinishedHandshake = false
  private var isRejected = false

  /// Takes over the receiving direction of a session.
  ///
  /// - Parameters:
  ///   - session: The session of a connection that has not begun its handshake.
  ///   - descriptor: Its nonblocking socket.
  ///   - keys: The certificate and the ticket key of the session.
  ///   - loop: The loop that drives the connection; `nil` if no event loop does.
  init(
    session: gnutls_session_t,
    descriptor: Int32,
    keys: TLSServerKeys,
    loop: (any TLSHandshakeLoop)?
  ) {
    self.session = session
    self.loop = loop
    self.descriptor = descriptor
    self.keys = keys
    // If this fails for lack of memory, the session keeps the certificate that libmicrohttpd has
    // set.
    _ = keys.apply(to: session)
    gnutls_transport_set_ptr2(
      session,
      Unmanaged.passUnretained(self).toOpaque(),
      UnsafeMutableRawPointer(bitPattern: Int(descriptor))
    )
    gnutls_transport_set_pull_function(session) { context, buffer, count in
      guard let context, let buffer else { return -1 }
      // Retained by the connection whose session calls this.
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
      Unmanaged<SecureConnection>.fromOpaque(context).takeUnretainedValue()
        .hasFinishedHandshake = true
      return 0
    }
  }

  /// Sends bytes on the session, as far as the socket accepts them now; the corresponding C function
  /// is `gnutls_record_send`.
  ///
  /// - Parameter bytes: The bytes; what the socket does not accept is lost.
  package func send(_ bytes: [UInt8]) {
    _ = gnutls_record_send(session, bytes, bytes.count)
  }

  /// Receives for the session; the corresponding C function is `recv`.
  private func receive(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard !isRejected else { return fail(with: ECONNRESET) }
    let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
    guard count > 0 else {
      if count == 0 { return 0 }
      let number = errno
      if number == EAGAIN, !hasFinishedHandshake { loop?.awaitHandshake() }
      return fail(with: number)
    }
    let received = UnsafeRawBufferPointer(rebasing: buffer[..<count])
    guard records.beginsHandshakeRecord(received), hasFinishedHandshake else { return count }
    isRejected = true
    gnutls_alert_send(session, GNUTLS_AL_FATAL, GNUTLS_A_HANDSHAKE_FAILURE)
    // With unread bytes from the client, the kernel would reset the connection and drop the alert.
    recv(descriptor, nil, 1 << 20, Int32(MSG_TRUNC) | Int32(MSG_DONTWAIT))
    return fail(with: ECONNRESET)
  }

  private func fail(with number: Int32) -> Int {
    gnutls_transport_set_errno(session, number)
    return -1
  }
}
