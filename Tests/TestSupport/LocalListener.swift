internal import Glibc

/// A listener on a free port of the loopback address, for programs that call the test.
package final class LocalListener {
  /// The port that the system picked.
  package let port: UInt16

  private let descriptor: Int32

  /// Opens a listener; a connection waits until ``accept(by:)`` takes it.
  ///
  /// - Parameter refuses: Only keeps the port, so that nobody else gets it, and lets the system
  ///   refuse connections.
  /// - Throws: `TestSystemError` when the system does not let it.
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

  /// Takes the next connection.
  ///
  /// - Parameter deadline: By when it must have come.
  /// - Returns: The connection, seen from this side.
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
