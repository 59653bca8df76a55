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
  private let tlsAcceptor: TLSAcceptor?
  /// The connections, with those that linger.
  private var connections: [ObjectIdentifier: ClientConnection] = [:]
  /// The connections whose TLS handshake is in progress, the oldest first.
  private var handshakes: [ClientConnection] = []
  private var lingering: [LingeringConnection] = []
  private let lingerTimer = SerialDisposable()
  /// Set when the loop starts.
  var driver: LibraryDriver? {
    didSet { driver?.handshakeEnded = { [unowned self] in handshakeEnded(of: $0) } }
  }

  init(_ shared: SharedResources, loop: EventLoop) {
    options = shared.options.connections
    limits = ClientConnection.Limits(
      request: shared.options.connections.requestTimeout, isSecure: shared.tlsAcceptor != nil,
      responsePolicy: shared.options.responsePolicy)
    tlsAcceptor = shared.tlsAcceptor
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
  func open(_ connection: OpaquePointer) -> ClientConnection {
    let client = ClientConnection(connection, at: loop.now)
    client.security = tlsAcceptor?.secure(connection, on: driver)
    connections[ObjectIdentifier(client)] = client
    if clients.enter(client.peer) {
      if client.security != nil { handshakeBegan(of: client) }
    } else {
      rejectOne(client)
    }
    return client
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

  private func handshakeEnded(of security: SecureConnection) {
    handshakes.removeAll { $0.security === security }
  }

  /// Sends a problem on a connection whose head libmicrohttpd cannot handle, and closes it.
  func rejectHead(of client: ClientConnection, with problem: ProblemDetails) {
    if let kind = RejectionKind(problem.status) { rejections.count(kind) }
    // No other response is being sent while a head arrives.
    client.security?.send(RawResponse(problem, limits.responsePolicy).bytes)
    reject(client, with: problem)
  }

  /// Rejects a request: sends the problem unless the connection is encrypted, then closes it.
  func reject(_ connection: ClientConnection, with problem: ProblemDetails) {
    connection.reject(with: problem, limits, at: loop.now)
  }

  var count: Int { connections.count }

  /// Removes a connection that libmicrohttpd closes, immediately or after it has lingered.
  func close(_ client: ClientConnection) {
    if let security = client.security {
      if security === driver?.handshaking { driver?.handshaking = nil }
      handshakeEnded(of: security)
    }
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

/// Adds a connection when it opens, and removes it before its socket is closed
/// (`MHD_OPTION_NOTIFY_CONNECTION`).
let connectionHandler: MHD_NotifyConnectionCallback = { closure, connection, context, event in
  guard let closure, let connection, let context else { return }
  let table = Unmanaged<ConnectionTable>.fromOpaque(closure).takeUnretainedValue()
  if event == .CONNECTION_NOTIFY_STARTED {
    // C owns it from here on, until the call that reports the close of the connection.
    context.pointee = Unmanaged.passRetained(table.open(connection)).toOpaque()
  } else if let pointer = context.pointee {
    context.pointee = nil
    // Balances `passRetained` above.
    table.close(Unmanaged<ClientConnection>.fromOpaque(pointer).takeRetainedValue())
  }
}
