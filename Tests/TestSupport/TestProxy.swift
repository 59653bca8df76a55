internal import Foundation
internal import Glibc
internal import Signals

/// A proxy on a loopback port that can swallow what it receives, as a partition of the network does.
///
/// Nobody notices the partition: connections stay open on both sides, and new ones open, but nothing
/// arrives, not even the end of a connection. What was lost ends these connections afterwards.
package final class TestProxy: Sendable {
  /// The port on 127.0.0.1.
  package let port: UInt16
  private let connections = Connections()

  /// Starts a proxy on a free port.
  ///
  /// - Parameter target: The port on 127.0.0.1 to which it connects.
  package convenience init(to target: UInt16) throws {
    try self.init { try Client(port: target) }
  }

  /// Starts a proxy on a free port.
  ///
  /// - Parameter connect: Connects to the target.
  package init(
    _ connect: @escaping @Sendable () throws -> Client
  ) throws {
    // nonisolated(unsafe) because only the thread uses it after this.
    nonisolated(unsafe) let listener = try LocalListener()
    port = listener.port
    Thread.detachNewThread { [connections] in
      while let client = try? listener.accept(within: .seconds(3600)), !connections.isClosed {
        guard let server = try? connect() else { continue }
        connections.add(Connection(client: client, server: server))
      }
    }
  }

  deinit {
    connections.close()
    // Wakes the thread, which ends.
    _ = try? Client(port: port)
  }

  /// Begins to swallow everything.
  package func cut() {
    connections.cut()
  }

  /// Ends all connections that there were meanwhile, and serves new ones.
  package func heal() {
    connections.heal()
  }

  // MARK: Connections

  // @unchecked Sendable because one thread receives from an end and one other sends to it, which
  // share no state of the client.
  private final class Connection: @unchecked Sendable {
    let client: Client
    let server: Client

    init(client: Client, server: Client) {
      self.client = client
      self.server = server
    }

    /// Wakes both threads; the last one closes the sockets.
    func end() {
      for socket in [client, server] { shutdown(socket.descriptor, Int32(SHUT_RDWR)) }
    }
  }

  private final class Connections: Sendable {
    private struct State {
      var open: [Connection] = []
      var isCut = false
      var isClosed = false

      mutating func endAll() {
        for connection in open { connection.end() }
        open = []
      }
    }

    private let state = Lock(State())

    var isClosed: Bool { state.withLock { $0.isClosed } }

    private var isCut: Bool { state.withLock { $0.isCut } }

    func cut() { state.withLock { $0.isCut = true } }

    func heal() {
      state.withLock { state in
        // First, so that nothing passes after what was lost.
        state.endAll()
        state.isCut = false
      }
    }

    func close() {
      state.withLock { state in
        state.endAll()
        state.isClosed = true
      }
    }

    func add(_ connection: Connection) {
      state.withLock { $0.open.append(connection) }
      Thread.detachNewThread {
        self.forward(connection, from: connection.client, to: connection.server)
      }
      Thread.detachNewThread {
        self.forward(connection, from: connection.server, to: connection.client)
      }
    }

    private func forward(
      _ connection: Connection, from source: Client, to target: Client
    ) {
      while let bytes = try? source.takeSome(within: .seconds(3600)) {
        // A target that is gone ends the other direction, and thereby this one.
        if !isCut { try? target.send(bytes) }
      }
      guard !isCut else { return }
      connection.end()
      state.withLock { $0.open.removeAll { $0 === connection } }
    }
  }
}
