internal import CMicrohttpd
internal import Glibc

/// A connection that libmicrohttpd has closed, although its client may still be sending.
///
/// If the socket were closed with unread bytes, or if bytes arrived later, the kernel would reset
/// the connection and drop the responses that the client has not received yet. So only the sending
/// side is closed, and arriving bytes are dropped until the client closes its side too (RFC 9112
/// §9.6), for a limited time and a limited number of bytes.
// Used on the loop's thread only.
final class LingeringConnection {
  /// The time for which a client may continue to send.
  private static let time: Duration = .seconds(1)
  /// The interval at which ``drop(at:)`` must be called.
  static let interval: Duration = .milliseconds(20)
  private static let maximumBytes = 4 << 20

  /// The connection, which is counted until it is released.
  let client: ClientConnection
  private let descriptor: Int32
  private let end: Duration
  private var byteCount = 0

  /// Keeps the socket of a connection open, and closes its sending side.
  ///
  /// The corresponding C functions are `fcntl` with `F_DUPFD_CLOEXEC`, and `shutdown`. Returns
  /// `nil` if the process has no file descriptor left.
  init?(_ client: ClientConnection, descriptor: Int32, at now: Duration) {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else { return nil }
    self.client = client
    self.descriptor = copy
    end = now + Self.time
    shutdown(copy, Int32(SHUT_WR))
  }

  deinit {
    close(descriptor)
  }

  /// Reads and drops the bytes that have arrived, without blocking.
  ///
  /// - Returns: Whether more may arrive; if not, release the object, which closes the socket.
  func drop(at now: Duration) -> Bool {
    guard now < end, byteCount < Self.maximumBytes else { return false }
    // The kernel copies nothing.
    let count = recv(descriptor, nil, Self.maximumBytes, Int32(MSG_TRUNC) | Int32(MSG_DONTWAIT))
    if count > 0 {
      byteCount += count
      return true
    }
    if count < 0 { return errno == EAGAIN }
    // After a shutdown of the receiving side, `recv` reports the end whenever it has no bytes.
    var state = cmicrohttpd_tcp_state()
    return cmicrohttpd_tcp_state(descriptor, &state) == 0 && state.awaits_end
  }
}
