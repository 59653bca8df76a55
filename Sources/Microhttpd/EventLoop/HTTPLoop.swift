internal import CMicrohttpd
internal import Glibc
internal import HTTPSignals
internal import Logging
internal import Platform
internal import Signals

/// One libmicrohttpd daemon on a thread of its own, with its connections and its requests.
///
/// ```text
/// Daemon ──► HTTPLoop ──► EventLoop: the thread, its scheduled work and its timers
///              │   └────► ClientConnection
///              └──► MHD_Daemon ──► callbacks ──► RequestInProgress ──► HTTPLoop
/// ```
///
/// libmicrohttpd has no thread here: it waits for readiness and serves connections in one call,
/// `MHD_run_wait`.
// @unchecked Sendable because mutable state is set before the loop starts and used on its thread.
final class HTTPLoop: @unchecked Sendable {
  /// The number of lingering connections from which on those that were rejected directly are closed
  /// at once, as they are when many connections are in use: a flood of them must leave room for others.
  static let maximumLingering = 128

  /// The thread, which runs from ``start(on:index:)`` on.
  let loop: EventLoop
  let shared: SharedResources
  let limits: ClientConnection.Limits
  let exchanges = Subject<Exchange, Never>()

  /// The daemon, which only the loop's thread may use once it runs; `nil` before and after.
  private(set) var daemon: OpaquePointer?
  /// The epoll descriptor on which libmicrohttpd waits.
  private(set) var epoll: Int32 = -1
  private var acceptor: Acceptor?
  /// Called after each call to libmicrohttpd.
  var afterTurn: (() -> Void)?

  /// The connections, with those that linger.
  private var connections: [ObjectIdentifier: ClientConnection] = [:]
  private var lingering: [LingeringConnection] = []
  private let lingerTimer = SerialDisposable()
  /// The connections whose TLS handshake is in progress, the oldest first.
  private var handshakes: [ClientConnection] = []
  /// The connection whose handshake has received bytes, until it waits for more bytes or ends.
  var handshaking: SecureConnection?
  /// Whether a TLS handshake waited for its client in the last turn.
  private var isAwaitingHandshake = false
  /// Whether something has happened since the beginning of the last turn that libmicrohttpd may
  /// continue without waiting.
  private var hasProgress = false

  /// The suspended requests, each at its own `index`.
  private var suspendedRequests: [RequestInProgress] = []
  private var openRequestCount = 0
  /// Whether the service is draining, so that every response is the last of its connection.
  private(set) var isDraining = false
  /// Whether the daemon is closing its connections, so that none may be suspended from now on.
  private(set) var isStopping = false
  private var whenIdle: (@Sendable () -> Void)?

  init(_ shared: SharedResources) throws(DaemonError) {
    self.shared = shared
    loop = try EventLoop()
    limits = ClientConnection.Limits(
      request: shared.options.connections.requestTimeout,
      responsePolicy: shared.options.responsePolicy)
  }

  // MARK: Starting

  /// Starts the daemon on a socket that all loops share, and that stays open when the daemon stops.
  func start(on socket: ListenSocket, index: Int) throws(DaemonError) {
    let daemon = try startDaemon(on: socket)
    self.daemon = daemon
    epoll = cmicrohttpd_epoll_descriptor(daemon)
    acceptor = Acceptor(for: self)
    // libmicrohttpd stores pointers in the events of its epoll set, and skips events without one
    // (`MHD_epoll`). So one wait serves its sockets and the loop.
    try loop.start(name: "enlist-http-\(index)", on: epoll) { self.turn(atMost: $0) }
    let interval = min(max(limits.request / 24, .milliseconds(10)), .seconds(1))
    // A strong reference: a weak one would slow down each retain and release in the handling of a
    // request. The loop releases its timers when it ends.
    loop.schedule(after: interval, repeating: interval) {
      // On a busy machine a tick comes late, and times that began with it are early by as much.
      let now = self.loop.now - EventLoop.tickLength
      for client in self.connections.values { client.checkDeadlines(self.limits, at: now) }
      self.shared.rejections.logSummaries()
    }
  }

  private func startDaemon(on socket: ListenSocket) throws(DaemonError) -> OpaquePointer {
    // Each daemon closes its listening descriptor.
    let descriptor = fcntl(socket.descriptor, F_DUPFD_CLOEXEC, 3)
    guard descriptor >= 0 else { throw .system(function: "fcntl", errorNumber: errno) }
    // `Daemon` retains this loop, which retains the objects that C gets.
    let options: [MHD_OptionItem] = [
      MHD_OptionItem(.EXTERNAL_LOGGER, calling: messageHandler, self),
      MHD_OptionItem(.NOTIFY_COMPLETED, calling: completedHandler),
      MHD_OptionItem(.NOTIFY_CONNECTION, calling: connectionHandler, self),
      MHD_OptionItem(.UNESCAPE_CALLBACK, calling: unescapeHandler),
      MHD_OptionItem(.URI_LOG_CALLBACK, calling: requestLineHandler, self),
      MHD_OptionItem(.LISTEN_SOCKET, Int(descriptor)),
      // At its own limit, libmicrohttpd leaves new connections waiting without a response. So there
      // is room for connections that are rejected immediately.
      MHD_OptionItem(.CONNECTION_LIMIT, shared.options.connections.maximum + 16),
      MHD_OptionItem(.CONNECTION_TIMEOUT, Int(timeoutSeconds)),
      MHD_OptionItem(.CONNECTION_MEMORY_LIMIT, shared.options.requests.connectionMemoryBytes),
    ]
    let started = startLibrary(
      options, identity: shared.options.identity, acceptedBy: acceptPolicy,
      handledBy: accessHandler, self)
    if let started { return started }
    close(descriptor)
    throw .libraryNotStarted
  }

  /// The silence after which libmicrohttpd closes a connection.
  ///
  /// It is at least a second longer than the limit of the deadlines, which distinguish idle
  /// connections from those that wait for the service. The option is in whole seconds, and
  /// libmicrohttpd closes connections up to one tick of the kernel early.
  var timeoutSeconds: UInt32 { UInt32(clamping: limits.request.components.seconds + 2) }

  // MARK: Turns

  private func turn(atMost milliseconds: Int32) {
    guard let daemon else { return }
    awaitReadiness(atMost: milliseconds)
    // libmicrohttpd waits no longer than its own deadlines allow, and not at all if a connection
    // has been resumed since its last turn.
    MHD_run_wait(daemon, milliseconds)
    afterTurn?()
  }

  /// Waits until a descriptor of libmicrohttpd is ready or work is scheduled, if libmicrohttpd
  /// would not.
  ///
  /// While a TLS handshake waits for its client, `MHD_run_wait` returns immediately. So this waits
  /// in its place: until something happens if nothing else is going on, and for a millisecond if
  /// libmicrohttpd may have part of a request to read or of a response to send, of which it tells
  /// nobody.
  private func awaitReadiness(atMost milliseconds: Int32) {
    defer {
      isAwaitingHandshake = false
      hasProgress = false
    }
    guard isAwaitingHandshake, !hasProgress else { return }
    // A suspended request is neither being received nor responded to.
    let isServing = openRequestCount > suspendedRequests.count
    var readiness = pollfd(fd: epoll, events: Int16(POLLIN), revents: 0)
    poll(&readiness, 1, isServing && milliseconds != 0 ? 1 : milliseconds)
  }

  fileprivate func messageArrived(_ text: String) {
    // Not immediately, because libmicrohttpd is in the middle of accepting.
    if Acceptor.isFailure(text) { loop.run { self.acceptor?.takeOver() } }
    if SocketTakeover.isExpected(text) { return }
    if text.hasPrefix("Error: received handshake message out of context") {
      handshaking.take()?.rejectHandshake()
    }
    let message = LibraryMessage(text)
    if let kind = message.kind {
      shared.rejections.count(kind, metadata: ["message": "\(message.text)"])
    }
    shared.options.logger.debug("libmicrohttpd", metadata: ["message": "\(message.text)"])
  }

  // MARK: Connections

  func bytesArrived() { hasProgress = true }

  /// Called when a handshake waits for bytes that have not arrived.
  func awaitHandshake() { isAwaitingHandshake = true }

  /// Returns whether a client may connect now, and counts the rejection if not; called before the
  /// connection is set up.
  func accepts(_ peer: ClientAddress) -> Bool {
    if shared.clients.accepts(peer, at: loop.nextTick) { return true }
    shared.rejections.count(.connection)
    return false
  }

  /// Adds a connection that was accepted now, and rejects it if there are too many.
  fileprivate func opened(_ connection: OpaquePointer) -> ClientConnection {
    let client = ClientConnection(connection, at: loop.now)
    if let acceptor = shared.tlsAcceptor, let session = cmicrohttpd_tls_session(connection) {
      client.security = acceptor.secure(
        session: session, descriptor: cmicrohttpd_descriptor(connection), on: self)
    }
    connections[ObjectIdentifier(client)] = client
    if !shared.clients.enter(client.peer) {
      shed(client)
    } else if client.security != nil {
      handshakeBegan(of: client)
    }
    return client
  }

  /// Closes a connection for lack of room: it may not stay for its client to read the problem.
  private func shed(_ client: ClientConnection) {
    shared.rejections.count(.connection)
    client.shed(with: .tooManyConnections, limits)
  }

  /// Adds a connection to those whose handshake is in progress, and closes the oldest one if that
  /// is too many for its client or for the loop.
  ///
  /// libmicrohttpd tries all handshakes that wait for their clients in each turn of the loop, also
  /// if nothing has arrived.
  private func handshakeBegan(of client: ClientConnection) {
    let key = client.peer.limitKey
    let ofClient =
      shared.clients.isLimited(client.peer) ? handshakes.filter { $0.peer.limitKey == key } : []
    let oldest: ClientConnection? =
      if ofClient.count >= ConnectionLimits.maximumHandshakesPerClient {
        ofClient.first
      } else if handshakes.count >= ConnectionLimits.maximumHandshakes {
        handshakes.first
      } else {
        nil
      }
    if let oldest {
      handshakes.removeAll { $0 === oldest }
      shed(oldest)
    }
    handshakes.append(client)
  }

  /// Called when the client has finished its part of a handshake, and when a connection closes.
  func handshakeFinished(of security: SecureConnection) {
    guard let index = handshakes.firstIndex(where: { $0.security === security }) else { return }
    handshakes.remove(at: index).handshakeEnded(at: loop.nextTick)
  }

  /// Removes a connection that libmicrohttpd closes, immediately or after it has lingered.
  fileprivate func closed(_ client: ClientConnection) {
    if let security = client.security {
      if security === handshaking { handshaking = nil }
      handshakeFinished(of: security)
    }
    let hasRoom = lingering.count < Self.maximumLingering && !shared.clients.isCrowded
    guard client.lingers, hasRoom || !client.isClosing, loop.isRunning,
      let rest = client.beginLingering(at: loop.now)
    else { return remove(client) }
    lingering.append(rest)
    guard lingering.count == 1 else { return }
    let interval = LingeringConnection.interval
    lingerTimer.replace(
      with: loop.schedule(after: interval, repeating: interval) { [unowned self] in dropArrived() })
  }

  private func remove(_ client: ClientConnection) {
    connections[ObjectIdentifier(client)] = nil
    shared.clients.leave(client.peer)
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

  // MARK: Requests

  func opened(_ request: RequestInProgress) {
    openRequestCount += 1
  }

  func closed(_ request: RequestInProgress) {
    openRequestCount -= 1
    callWhenIdle()
  }

  func suspended(_ request: RequestInProgress) {
    request.index = suspendedRequests.count
    suspendedRequests.append(request)
  }

  func resumed(_ request: RequestInProgress) {
    hasProgress = true
    guard let last = suspendedRequests.popLast(), last !== request else { return }
    suspendedRequests[request.index] = last
    last.index = request.index
  }

  // MARK: Stopping

  /// Ends the streams at random moments within a time, makes each response the last of its
  /// connection, and calls back when no request is open.
  ///
  /// - Parameter whenIdle: Called on the loop's thread; immediately if the loop is not running.
  func drain(over time: Duration, whenIdle: @escaping @Sendable () -> Void) {
    guard loop.isRunning else { return whenIdle() }
    let isClosed = !loop.run {
      // Leave a tenth of the time for clients to read the last events.
      self.shared.streams.drain(within: time * 0.9)
      self.isDraining = true
      self.whenIdle = whenIdle
      self.callWhenIdle()
    }
    if isClosed { whenIdle() }
  }

  /// Stops the daemon: responds to open requests, then closes all connections.
  ///
  /// `MHD_stop_daemon` would abort the process if a connection were still suspended, so all are
  /// resumed before.
  ///
  /// - Parameters:
  ///   - isOutcomeKnown: Whether requests without a response get 503; otherwise their connections
  ///     are closed.
  ///   - stopped: Called on the loop's thread when all connections are closed; immediately if the
  ///     loop is not running.
  func stop(isOutcomeKnown: Bool, _ stopped: @escaping @Sendable () -> Void) {
    guard loop.isRunning else { return stopped() }
    let isClosed = !loop.run {
      let listener = self.acceptor?.quiesce() ?? -1
      self.isStopping = true
      for request in self.suspendedRequests { request.abandon(isOutcomeKnown: isOutcomeKnown) }
      // This replaces the callback of the drain.
      self.whenIdle = {
        self.loop.stop {
          if let daemon = self.daemon.take() { MHD_stop_daemon(daemon) }
          if listener >= 0 { close(listener) }
          stopped()
        }
      }
      self.callWhenIdle()
      // Allow some time to write the responses, even on a busy machine. Then the connections of
      // clients that do not read are closed.
      self.loop.schedule(after: .seconds(2)) { self.whenIdle.take()?() }
    }
    if isClosed { stopped() }
  }

  private func callWhenIdle() {
    if isDraining, openRequestCount == 0 { whenIdle.take()?() }
  }
}

// MARK: Callbacks of libmicrohttpd

/// Receives a message about the daemon (`MHD_OPTION_EXTERNAL_LOGGER`).
private let messageHandler: MHD_LogCallback = { closure, format, arguments in
  guard let closure, let format, let arguments else { return }
  var line = [CChar](repeating: 0, count: 512)
  vsnprintf(&line, line.count, format, arguments)
  Unmanaged<HTTPLoop>.fromOpaque(closure).takeUnretainedValue()
    .messageArrived(String(cBuffer: line))
}

/// Adds a connection when it opens, and removes it before its socket is closed
/// (`MHD_OPTION_NOTIFY_CONNECTION`).
private let connectionHandler: MHD_NotifyConnectionCallback = {
  closure,
  connection,
  context,
  event in
  guard let closure, let connection, let context else { return }
  let http = Unmanaged<HTTPLoop>.fromOpaque(closure).takeUnretainedValue()
  if event == .CONNECTION_NOTIFY_STARTED {
    // C owns it from here on, until the call that reports the close of the connection.
    context.pointee = Unmanaged.passRetained(http.opened(connection)).toOpaque()
  } else if let pointer = context.pointee {
    context.pointee = nil
    // Balances `passRetained` above.
    http.closed(Unmanaged<ClientConnection>.fromOpaque(pointer).takeRetainedValue())
  }
}

/// Decides whether a connection is accepted, before libmicrohttpd sets it up
/// (`MHD_AcceptPolicyCallback`).
private let acceptPolicy: MHD_AcceptPolicyCallback = { closure, address, _ in
  guard let closure else { return .NO }
  let http = Unmanaged<HTTPLoop>.fromOpaque(closure).takeUnretainedValue()
  return http.accepts(ClientAddress(address)) ? .YES : .NO
}
