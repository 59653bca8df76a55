internal import HTTPSignals
internal import Locks

/// The connections of one event loop: how many there may be, and which take too long.
// Used on the loop's thread only.
final class Connections {
  private let maximum: Int
  private let limits: ClientConnection.Limits
  private let clients: ClientConnectionCounts
  private let rejections: RejectionLog
  private var connections: [ObjectIdentifier: ClientConnection] = [:]

  /// Makes an empty table.
  ///
  /// - Parameters:
  ///   - configuration: The limits.
  ///   - clients: The connections of each client, over all loops.
  init(_ configuration: Daemon.Configuration, clients: ClientConnectionCounts) {
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
  var lookInterval: Duration { min(max(limits.request / 24, .milliseconds(10)), .seconds(1)) }

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
      connection.end(with: .tooManyConnections, limits)
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
  func end(_ connection: ClientConnection, with problem: ProblemDetails) {
    connection.end(with: problem, limits)
  }

  /// How many are open.
  var count: Int { connections.count }

  func closed(_ connection: ClientConnection) {
    connections[ObjectIdentifier(connection)] = nil
    clients.leave(connection.peer)
  }

  /// Cuts connections whose time has passed.
  func look(at now: Duration) {
    for connection in connections.values { connection.look(limits, at: now) }
  }
}

/// How many connections each client has, over all loops.
final class ClientConnectionCounts: Sendable {
  private let maximum: Int
  private let unlimited: [CIDRBlock]
  private let proxies: TrustedProxies
  private let counts = Lock<[ClientAddress: Int]>([:])
  private let rate: ConnectionRateLimiter?

  /// Makes a table in which nobody has a connection.
  ///
  /// - Parameter configuration: The limit, and whom it does not count for.
  init(_ configuration: Daemon.Configuration) {
    maximum = configuration.maximumConnectionsPerClient
    unlimited = configuration.unlimitedClients
    proxies = configuration.trustedProxies
    rate = configuration.connectionRate.map { ConnectionRateLimiter($0) }
  }

  /// Counts a new connection, unless it is one too many for the time.
  ///
  /// - Returns: Whether it is accepted.
  func accepts(_ peer: ClientAddress, at now: Duration) -> Bool {
    guard let rate, isLimited(peer) else { return true }
    return rate.accepts(peer, at: now)
  }

  /// Counts a connection in.
  ///
  /// - Returns: Whether the client may have it; it is counted in any case.
  func enter(_ peer: ClientAddress) -> Bool {
    guard isLimited(peer) else { return true }
    return counts.withLock { counts in
      counts[peer.limitKey, default: 0] += 1
      return counts[peer.limitKey, default: 0] <= maximum
    }
  }

  func leave(_ peer: ClientAddress) {
    guard isLimited(peer) else { return }
    counts.withLock { counts in
      guard let count = counts[peer.limitKey] else { return }
      counts[peer.limitKey] = count > 1 ? count - 1 : nil
    }
  }

  private func isLimited(_ peer: ClientAddress) -> Bool {
    !unlimited.contains { $0.contains(peer) } && !proxies.contains(peer)
  }
}
