internal import Glibc

/// A listener on a free loopback port, for programs that connect to the test.
package final class LocalListener {
  /// The port that the system picked.
  package let port: UInt16

  private let descriptor: Int32

  /// Opens a listener; a connection waits until ``accept(by:)`` accepts it.
  ///
  /// - Parameter refuses: Whether to only reserve the port, so that no other process gets it and
  ///   the system refuses connections.
  /// - Throws: `TestSystemError` if no socket can be bound.
  package init(refuses: Bool = false) throws(TestSystemError) {
    let descriptor = try LocalSocket.make()
    let bound = LocalSocket.withAddress(port: 0) { address, size in
      bind(descriptor, address, size) == 0 && (refuses || listen(descriptor, 16) == 0)
    }
    guard bound, let port = LocalSocket.port(of: descriptor, getsockname) else {
      let error = TestSystemError.last("bind")
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
    self.port = port
  }

  deinit {
    close(descriptor)
  }

  /// Accepts the next connection.
  ///
  /// - Parameter deadline: The time by which a connection must arrive.
  /// - Returns: The test's end of the connection.
  /// - Throws: `TestSystemError`.
  package func accept(by deadline: Deadline = .soon) throws(TestSystemError) -> SocketClient {
    var waiting = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
    try deadline.wait(for: &waiting)
    let connection = try Inheritance.without { () throws(TestSystemError) in
      let connection = Glibc.accept(descriptor, nil, nil)
      guard connection >= 0 else { throw .last("accept") }
      return [connection]
    }
    return SocketClient(descriptor: connection[0])
  }
}
