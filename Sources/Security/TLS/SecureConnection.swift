internal import CGnuTLS
internal import Glibc

/// The loop that drives connections whose handshake may have to wait for the client.
package protocol TLSHandshakeLoop: AnyObject {
  /// Called on the loop's thread when bytes of a connection have arrived.
  func bytesArrived()

  /// Called on the loop's thread when a handshake waits for bytes that have not arrived.
  func awaitHandshake()

  /// Called on the loop's thread when the client has finished its part of a handshake.
  func handshakeFinished(of connection: SecureConnection)

  /// The connection whose handshake has received bytes, until it waits for more bytes or ends.
  var handshaking: SecureConnection? { get set }
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
package final class SecureConnection {
  /// The session keeps a pointer to the credentials in it.
  private let keys: TLSServerKeys
  private let session: gnutls_session_t
  private let descriptor: Int32
  private let loop: (any TLSHandshakeLoop)?
  private var records = TLSRecordScanner()
  /// Whether the client has finished its part of the handshake.
  private var hasFinishedHandshake = false
  /// Whether the client supports no version from TLS 1.2 on.
  private var isOutdated = false
  private var isRejected = false

  /// Takes over the receiving direction of a session; `loop` is `nil` if no event loop drives the
  /// connection.
  init(
    session: gnutls_session_t, descriptor: Int32, keys: TLSServerKeys, loop: (any TLSHandshakeLoop)?
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
    loop?.handshaking = nil
    loop?.handshakeFinished(of: self)
    // The service sends nothing at this point of TLS 1.3, so the kernel would delay the
    // acknowledgment by 40 ms. A client with Nagle's algorithm holds back its request until then.
    var isOn: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_QUICKACK, &isOn, size)
  }

  /// Sends an alert to a client whose handshake has failed (RFC 8446 §6.2), before libmicrohttpd
  /// closes the connection.
  package func rejectHandshake() {
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
  /// ended; the corresponding C function is `gnutls_record_send`.
  ///
  /// Bytes that the socket does not accept immediately are lost.
  package func sendLast(_ bytes: [UInt8]) {
    if hasFinishedHandshake {
      _ = gnutls_record_send(session, bytes, bytes.count)
    } else {
      rejectHandshake()
    }
  }

  /// Receives for the session; the corresponding C function is `recv`.
  private func receive(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard !isRejected else { return fail(with: ECONNRESET) }
    let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
    if !hasFinishedHandshake { loop?.handshaking = count > 0 ? self : nil }
    guard count > 0 else {
      if count == 0 { return 0 }
      let number = errno
      if number == EAGAIN, !hasFinishedHandshake { loop?.awaitHandshake() }
      return fail(with: number)
    }
    loop?.bytesArrived()
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
