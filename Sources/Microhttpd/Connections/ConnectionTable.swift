internal import HTTPSignals

/// The connections of one event loop, with their maximum number and their deadlines.
// Used on the loop's thread only.
final class ConnectionTable {
  private let maximum: Int
  private let limits: ClientConnection.Limits
  private let clients: ConnectionCounts
  private let rejections: RejectionLog
  private var connections: [ObjectIdentifier: ClientConnection] = [:]

  /// Creates an empty table.
  ///
  /// - Parameters:
  ///   - configuration: The limits.
  ///   - clients: The number of connections of each client, over all loops.
  init(_ configuration: Daemon.Configuration, clients: ConnectionCounts) {
    maximum = max(1, configuration.maximumConnections / configuration.loopCount)
    limits = ClientConnection.Limits(
      request: configuration.requestTimeout,
      isSecure: configuration.identity != nil,
      responsePolicy: configuration.responsePolicy
    )
    self.clients = clients
    rejections = configuration.rejections
  }

  /// The number of connections that libmicrohttpd may accept.
  ///
  /// At its own limit, libmicrohttpd leaves new connections waiting without a response. So its
  /// limit is 16 higher: that leaves room for connections that are rejected immediately.
  var acceptedCount: Int { maximum + 16 }

  /// The silence after which libmicrohttpd closes a connection, in seconds.
  ///
  /// It is at least a second longer than the limit of ``checkDeadlines(at:)``, which
  /// distinguishes idle connections from those that wait for the service. libmicrohttpd counts
  /// whole seconds, and closes connections up to one tick of the kernel early.
  var timeoutSeconds: UInt32 { UInt32(clamping: limits.request.components.seconds + 2) }

  /// The interval at which ``checkDeadlines(at:)`` is to be called.
  var deadlineCheckInterval: Duration {
    min(max(limits.request / 24, .milliseconds(10)), .seconds(1))
  }

  /// Adds a connection, and rejects it if there are too many.
  ///
  /// - Parameters:
  ///   - connection: The connection.
  ///   - streamCount: The number of open streams whose sockets were taken over from libmicrohttpd.
  func opened(_ connection: ClientConnection, beside streamCount: Int) {
    connections[ObjectIdentifier(connection)] = connection
    let mayStay = clients.enter(connection.peer)
    if !mayStay || connections.count + streamCount > maximum {
      rejections.count(.connection)
      connection.reject(with: .tooManyConnections, limits)
    }
  }

  /// Counts a new connection against the rate of its client; called before the connection is set
  /// up.
  ///
  /// - Parameters:
  ///   - peer: The peer that connects.
  ///   - now: The time of the loop.
  /// - Returns: Whether the connection is accepted.
  func accepts(_ peer: ClientAddress, at now: Duration) -> Bool {
    clients.accepts(peer, at: now)
  }

  /// Rejects a connection: sends the problem unless the connection is encrypted, then closes it.
  func reject(_ connection: ClientConnection, with problem: ProblemDetails) {
    connection.reject(with: problem, limits)
  }

  /// The number of open connections.
  var count: Int { connections.count }

  /// Removes a connection that is closed.
  func closed(_ connection: ClientConnection) {
    connections[ObjectIdentifier(connection)] = nil
    clients.leave(connection.peer)
  }

  /// Closes the connections that have missed a deadline.
  func checkDeadlines(at now: Duration) {
    for connection in connections.values { connection.checkDeadlines(limits, at: now) }
  }
}
