internal import CMicrohttpd
internal import Glibc

/// A socket that belongs to one stream, and that libmicrohttpd does not know.
struct StreamSocket {
  /// What came of sending.
  enum Sent {
    /// So many octets were taken.
    case octets(Int)
    /// The kernel takes no more at the moment.
    case none
    /// The client has gone.
    case gone
  }

  let descriptor: Int32

  /// Takes a second hold on a socket; the corresponding C function is `fcntl` with `F_DUPFD_CLOEXEC`.
  ///
  /// There is none when the process has no descriptor left.
  ///
  /// - Parameter descriptor: The socket, which may be closed afterwards, not shut down.
  init?(duplicating descriptor: Int32) {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else { return nil }
    self.descriptor = copy
  }

  /// Has a client that does not read, or is there no longer, cost little and not for long.
  ///
  /// A Unix socket refuses what is of TCP, and needs none of it.
  func configure() {
    set(IPPROTO_TCP, TCP_NODELAY, 1)
    // The kernel would keep megabytes for each client that does not read.
    set(SOL_SOCKET, SO_SNDBUF, 32 * 1024)
    // Milliseconds that sent octets, a heartbeat for instance, may remain without an answer.
    set(IPPROTO_TCP, TCP_USER_TIMEOUT, 30_000)
    set(SOL_SOCKET, SO_KEEPALIVE, 1)
    set(IPPROTO_TCP, TCP_KEEPIDLE, 30)
    set(IPPROTO_TCP, TCP_KEEPINTVL, 10)
  }

  private func set(_ level: Int, _ option: Int32, _ value: Int32) {
    set(Int32(level), option, value)
  }

  private func set(_ level: Int32, _ option: Int32, _ value: Int32) {
    var value = value
    setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Sends without waiting; the corresponding C function is `send`.
  func send(_ octets: UnsafeRawBufferPointer) -> Sent {
    while true {
      let count = Glibc.send(
        descriptor,
        octets.baseAddress,
        octets.count,
        Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
      )
      if count >= 0 { return .octets(count) }
      switch errno {
      case EINTR: continue
      case EAGAIN: return .none
      default: return .gone
      }
    }
  }

  /// Closes it; what was sent is still delivered.
  func close() {
    // With octets of the client unread, the kernel would break the connection off instead.
    recv(descriptor, nil, 1 << 20, Int32(MSG_TRUNC | MSG_DONTWAIT))
    Glibc.close(descriptor)
  }
}
