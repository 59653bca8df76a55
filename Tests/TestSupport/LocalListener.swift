internal import Glibc

/// A listener on a free loopback port, for programs that connect to the test.
package final class LocalListener {
  /// The port that the system picked.
  package let port: UInt16

  private let descriptor: Int32
  /// The connections that fill the queue.
  private var waiting: [Int32] = []

  /// Opens a listener; a connection waits until ``accept(within:)`` accepts it.
  ///
  /// - Parameters:
  ///   - refuses: Whether to only reserve the port, so that no other process gets it and the system
  ///     refuses connections.
  ///   - queueLength: How many connections may wait, in addition to one.
  package init(refuses: Bool = false, queueLength: Int32 = 16) throws(TestSystemError) {
    let descriptor = try LocalSocket.make()
    let bound = LocalSocket.withAddress(port: 0) { address, size in
      bind(descriptor, address, size) == 0 && (refuses || listen(descriptor, queueLength) == 0)
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
    for connection in waiting { close(connection) }
    close(descriptor)
  }

  /// Opens a listener whose queue is full: the system ignores further connections, as a firewall
  /// does.
  package static func full() throws(TestSystemError) -> LocalListener {
    let listener = try LocalListener(queueLength: 0)
    for _ in 0..<4 {
      let connection = try LocalSocket.make()
      listener.waiting.append(connection)
      guard fcntl(connection, F_SETFL, O_NONBLOCK) == 0 else { throw .last("fcntl") }
      // Does not wait until the connection is established, which only the first ones are.
      _ = LocalSocket.withAddress(port: listener.port) { Glibc.connect(connection, $0, $1) }
    }
    return listener
  }

  /// Waits for the next connection, and accepts it.
  package func accept(within time: Duration = patience) throws(TestSystemError) -> Client {
    try wait(of: descriptor, within: time)
    let connection = try Inheritance.without { () throws(TestSystemError) in
      let connection = Glibc.accept(descriptor, nil, nil)
      guard connection >= 0 else { throw .last("accept") }
      return [connection]
    }
    return Client(descriptor: connection[0])
  }
}
