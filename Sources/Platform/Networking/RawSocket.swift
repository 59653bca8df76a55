internal import Glibc

/// A stream socket of the operating system, by its descriptor.
///
/// The value does not own the descriptor, which its owner closes once.
package struct RawSocket: Sendable {
  /// The outcome of sending without blocking.
  package enum Sent: Sendable {
    /// The kernel has accepted this number of bytes.
    case bytes(Int)
    /// The kernel accepts no bytes at the moment.
    case none
    /// The other end has closed the connection.
    case gone
  }

  package let descriptor: Int32

  @inlinable
  package init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Creates a nonblocking socket that child processes do not inherit; the corresponding C function
  /// is `socket`.
  package init(family: Int32) throws(SocketError) {
    let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    descriptor = socket(family, Int32(type), 0)
    guard descriptor >= 0 else { throw SocketError() }
  }

  /// Binds the socket to an address; the corresponding C function is `bind`.
  ///
  /// A path must not be longer than ``SocketAddress/maximumPathBytes``.
  package func bind(to address: SocketAddress) throws(SocketError) {
    guard address.withSocketAddress({ Glibc.bind(descriptor, $0, $1) }) == 0 else {
      throw SocketError()
    }
  }

  /// Sends bytes without blocking; the corresponding C function is `send`.
  // Inlined, because each event is sent to each stream with it.
  @inlinable
  package func send(_ bytes: UnsafeRawBufferPointer) -> Sent {
    while true {
      let count = Glibc.send(
        descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
      if count >= 0 { return .bytes(count) }
      switch errno {
      case EINTR: continue
      case EAGAIN: return .none
      default: return .gone
      }
    }
  }

  /// Receives at most `maximumCount` bytes, none after the last byte; the corresponding C function
  /// is `recv`.
  ///
  /// - Throws: `SocketError`; `EAGAIN` if no byte has arrived.
  package func receive(_ maximumCount: Int) throws(SocketError) -> [UInt8] {
    var count = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: maximumCount) { buffer, initializedCount in
      count = recv(descriptor, buffer.baseAddress, maximumCount, 0)
      initializedCount = max(count, 0)
    }
    guard count >= 0 else { throw SocketError() }
    return bytes
  }

  /// Closes the socket; the corresponding C function is `close`.
  package func close() {
    Glibc.close(descriptor)
  }
}

/// A failure of a system call on a socket.
package struct SocketError: Error, Hashable, Sendable {
  /// The value of `errno`.
  package let errorNumber: Int32

  /// Reads the failure of the last system call of this thread.
  package init() {
    errorNumber = errno
  }
}
