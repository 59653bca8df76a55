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

  /// Has each event leave at once; the rest it has from the socket that listens.
  ///
  /// A Unix socket refuses it, and does so anyway.
  func configure() {
    var isOn: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, size)
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
