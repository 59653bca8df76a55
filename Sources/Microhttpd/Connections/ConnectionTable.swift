internal import HTTPSignals

/// The connections of one event loop: how many there may be, and which take too long.
// Used on the loop's thread only.
final class ConnectionTable {
  private let maximum: Int
  private let limits: ClientConnection.Limits
  private let clients: ConnectionCounts
  private let rejections: RejectionLog
  private var connections: [ObjectIdentifier: ClientConnection] = [:]

  /// Makes an empty table.
  ///
  /// - Parameters:
  ///   - configuration: The limits.
  ///   - clients: The connections of each client, over all loops.
  init(_ configuration: Daemon.Configuration, clients: ConnectionCounts) {
    maximum = max(1, configuration.maximumConnections / configuration.loopCount)
    limits = ClientConnection.Limits(
      request: configuration.requestTimeout,
      isSecure: configuration.identity != nil
    )
    self.clients = clients
    rejections = configuration.rejections
  }

  /// How many connections libmicrohttpd may accept.
  ///
  /// At its own limit it leaves newcomers waiting without an answer, so it is never reached by those
  /// who are turned away at once.
  var acceptedCount: Int { maximum + 16 }

  /// How long libmicrohttpd lets a connection be silent, in seconds.
  ///
  /// At least a second longer than ``look(at:)`` does, which knows what a connection is silent
  /// about. libmicrohttpd counts whole seconds and closes up to a tick of the kernel early.
  var timeoutSeconds: UInt32 { UInt32(clamping: limits.request.components.seconds + 2) }

  /// How often ``look(at:)`` wants to be called.
  var deadlineCheckInterval: Duration {
    min(max(limits.request / 24, .milliseconds(10)), .seconds(1))
  }

  /// Takes a connection in, or turns it away.
  ///
  /// - Parameters:
  ///   - connection: The connection.
  ///   - streamCount: How many streams are open that libmicrohttpd does not know of.
  func opened(_ connection: ClientConnection, beside streamCount: Int) {
    connections[ObjectIdentifier(connection)] = connection
    let mayStay = clients.enter(connection.peer)
    if !mayStay || connections.count + streamCount > maximum {
      rejections.count(.connection)
      connection.reject(with: .tooManyConnections, limits)
    }
  }

  /// Whether a client may connect now; asked before anything is spent on the connection.
  ///
  /// - Parameters:
  ///   - peer: Who connects.
  ///   - now: The time of the loop.
  /// - Returns: Whether the client may.
  func accepts(_ peer: ClientAddress, at now: Duration) -> Bool {
    clients.accepts(peer, at: now)
  }

  /// Tells a client why its connection is closed, as far as it can be told, and cuts it.
  func reject(_ connection: ClientConnection, with problem: ProblemDetails) {
    connection.reject(with: problem, limits)
  }

  /// How many are open.
  var count: Int { connections.count }

  func closed(_ connection: ClientConnection) {
    connections[ObjectIdentifier(connection)] = nil
    clients.leave(connection.peer)
  }

  /// Cuts connections whose time has passed.
  func checkDeadlines(at now: Duration) {
    for connection in connections.values { connection.checkDeadlines(limits, at: now) }
  }
}
