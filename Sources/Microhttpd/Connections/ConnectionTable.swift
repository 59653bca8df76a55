internal import CMicrohttpd
internal import Security
internal import HTTPSignals
internal import Signals

/// The connections of one event loop, with their deadlines.
// @unchecked Sendable because it is used on the loop's thread only.
final class ConnectionTable: @unchecked Sendable {
  private let options: ConnectionLimits
  private let limits: ClientConnection.Limits
  private let clients: ConnectionCounts
  private let rejections: RejectionLog
  private let loop: EventLoop
  /// The connections, with those that linger.
  private var connections: [ObjectIdentifier: ClientConnection] = [:]
  /// The connections whose TLS handshake is in progress, the oldest first.
  private var handshakes: [ClientConnection] = []
  private var lingering: [LingeringConnection] = []
  private let lingerTimer = SerialDisposable()

  init(_ shared: SharedResources, loop: EventLoop) {
    options = shared.options.connections
    limits = ClientConnection.Limits(
      request: shared.options.connections.requestTimeout,
      responsePolicy: shared.options.responsePolicy)
    clients = shared.clients
    rejections = shared.rejections
    self.loop = loop
  }

  /// The number of connections that libmicrohttpd may accept.
  ///
  /// At its own limit, libmicrohttpd leaves new connections waiting without a response. So its
  /// limit is 16 higher than that of all loops together: that leaves room for connections that are
  /// rejected immediately.
  var acceptedCount: Int { options.maximum + 16 }

  /// The silence after which libmicrohttpd closes a connection, in seconds.
  ///
  /// It is at least a second longer than the limit of ``checkDeadlines(at:)``, which
  /// distinguishes idle connections from those that wait for the service. The option is in whole
  /// seconds, and libmicrohttpd closes connections up to one tick of the kernel early.
  var timeoutSeconds: UInt32 { UInt32(clamping: limits.request.components.seconds + 2) }

  /// The interval at which ``checkDeadlines(at:)`` must be called.
  var deadlineCheckInterval: Duration {
    min(max(limits.request / 24, .milliseconds(10)), .seconds(1))
  }

  /// Returns whether a client may connect now, and counts the rejection if not; called before the
  /// connection is set up.
  func accepts(_ peer: ClientAddress) -> Bool {
    if clients.accepts(peer, at: loop.nextTick) { return true }
    rejections.count(.connection)
    return false
  }

  /// Adds a connection that was accepted now, and rejects it if there are too many.
  func add(_ client: ClientConnection) {
    connections[ObjectIdentifier(client)] = client
    if clients.enter(client.peer) {
      if client.security != nil { handshakeBegan(of: client) }
    } else {
      rejectOne(client)
    }
  }

  private func rejectOne(_ client: ClientConnection) {
    rejections.count(.connection)
    turnAway(client, with: .tooManyConnections)
  }

  /// Rejects a connection at once, because there are too many: none may stay for its client to read
  /// the problem.
  func turnAway(_ client: ClientConnection, with problem: ProblemDetails) {
    client.turnAway(with: problem, limits)
  }

  // MARK: TLS handshakes

  /// Adds a connection to those whose handshake is in progress, and closes the oldest one if that
  /// is too many for its client or for the loop.
  ///
  /// libmicrohttpd tries all handshakes that wait for their clients in each turn of the loop, also
  /// if nothing has arrived.
  private func handshakeBegan(of client: ClientConnection) {
    let key = client.peer.limitKey
    let ofClient =
      clients.isLimited(client.peer)
      ? handshakes.filter { $0.peer.limitKey == key } : []
    if ofClient.count >= ConnectionLimits.maximumHandshakesPerClient {
      giveUpHandshake(of: ofClient[0])
    } else if handshakes.count >= ConnectionLimits.maximumHandshakes {
      giveUpHandshake(of: handshakes[0])
    }
    handshakes.append(client)
  }

  private func giveUpHandshake(of client: ClientConnection) {
    handshakes.removeAll { $0 === client }
    rejectOne(client)
  }

  func handshakeEnded(of security: SecureConnection) {
    guard let index = handshakes.firstIndex(where: { $0.security === security }) else { return }
    handshakes.remove(at: index).handshakeEnded(at: loop.nextTick)
  }

  /// Rejects a request whose head libmicrohttpd cannot handle.
  func rejectHead(of client: ClientConnection, with problem: ProblemDetails) {
    if let kind = RejectionKind(problem.status) { rejections.count(kind) }
    client.reject(with: problem, limits, at: loop.now)
  }

  /// Removes a connection that libmicrohttpd closes, immediately or after it has lingered.
  func close(_ client: ClientConnection) {
    if let security = client.security { handshakeEnded(of: security) }
    guard client.lingers, loop.isRunning, let rest = client.beginLingering(at: loop.now) else {
      return remove(client)
    }
    lingering.append(rest)
    guard lingering.count == 1 else { return }
    let interval = LingeringConnection.interval
    lingerTimer.replace(
      with: loop.schedule(after: interval, repeating: interval) { [unowned self] in
        dropArrived()
      }
    )
  }

  private func remove(_ client: ClientConnection) {
    connections[ObjectIdentifier(client)] = nil
    clients.leave(client.peer)
  }

  /// Drops the bytes that have arrived on lingering connections.
  private func dropArrived() {
    let now = loop.now
    lingering = lingering.filter { rest in
      if rest.drop(at: now) { return true }
      remove(rest.client)
      return false
    }
    if lingering.isEmpty { lingerTimer.replace(with: nil) }
  }

  /// Closes the connections that have missed a deadline.
  func checkDeadlines(at now: Duration) {
    for connection in connections.values { connection.checkDeadlines(limits, at: now) }
  }
}

/// Decides whether a connection is accepted, before libmicrohttpd sets it up
/// (`MHD_AcceptPolicyCallback`).
let acceptPolicy: MHD_AcceptPolicyCallback = { closure, address, _ in
  guard let closure else { return .NO }
  let table = Unmanaged<ConnectionTable>.fromOpaque(closure).takeUnretainedValue()
  return table.accepts(ClientAddress(address)) ? .YES : .NO
}
