internal import CMicrohttpd
internal import Glibc
internal import HTTPSignals
internal import Logging
internal import Platform
internal import Security
internal import Signals

/// One libmicrohttpd daemon on a thread of its own, with its connections and its requests.
///
/// ```text
/// Daemon ──► HTTPLoop ──► EventLoop: the thread, its scheduled work and its timers
///              │   └────► ConnectionTable
///              └──► MHD_Daemon ──► callbacks ──► RequestInProgress ──► HTTPLoop
/// ```
///
/// libmicrohttpd has no thread here: it waits for readiness and serves connections in one call,
/// `MHD_run_wait`.
// @unchecked Sendable because mutable state is set before the loop starts and used on its thread.
final class HTTPLoop: LoopDriver, TLSHandshakeLoop, @unchecked Sendable {
  /// The thread, which runs from ``start(on:index:)`` on.
  let loop: EventLoop
  let shared: SharedResources
  let connections: ConnectionTable
  let exchanges = Subject<Exchange, Never>()

  /// The daemon, which only the loop's thread may use once it runs; `nil` before and after.
  private(set) var daemon: OpaquePointer?
  /// The epoll descriptor on which libmicrohttpd waits.
  private(set) var epoll: Int32 = -1
  private var acceptor: Acceptor?
  /// Called after each call to libmicrohttpd.
  var afterTurn: (() -> Void)?

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
    connections = ConnectionTable(shared, loop: loop)
  }

  // MARK: Starting

  /// Starts the daemon on a socket that all loops share, and that stays open when the daemon stops.
  ///
  /// `index` is part of the thread's name.
  func start(on socket: ListenSocket, index: Int) throws(DaemonError) {
    let daemon = try startDaemon(on: socket)
    self.daemon = daemon
    epoll = cmicrohttpd_epoll_descriptor(daemon)
    acceptor = Acceptor(for: self)
    try loop.start(name: "enlist-http-\(index)", driving: self)
    let interval = connections.deadlineCheckInterval
    // A strong reference: a weak one would slow down each retain and release in the handling of a
    // request. The loop releases its timers when it ends.
    loop.schedule(after: interval, repeating: interval) {
      // On a busy machine a tick comes late, and times that began with it are early by as much.
      self.connections.checkDeadlines(at: self.loop.now - EventLoop.tickLength)
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
      MHD_OptionItem(.CONNECTION_LIMIT, connections.acceptedCount),
      MHD_OptionItem(.CONNECTION_TIMEOUT, Int(connections.timeoutSeconds)),
      MHD_OptionItem(.CONNECTION_MEMORY_LIMIT, shared.options.requests.connectionMemoryBytes),
    ]
    let started = startLibrary(
      MHD_ALLOW_SUSPEND_RESUME.rawValue, options, identity: shared.options.identity,
      acceptedBy: (acceptPolicy, connections), handledBy: accessHandler, self)
    if let started { return started }
    close(descriptor)
    throw .libraryNotStarted
  }

  // MARK: Turns

  func watch(_ wakeUp: Int32) throws(DaemonError) {
    // libmicrohttpd stores pointers in the events of its epoll set, and skips events without one
    // (`MHD_epoll`). So one wait serves both.
    var event = epoll_event(events: EPOLLIN.rawValue | EPOLLET.rawValue, data: epoll_data())
    guard epoll_ctl(epoll, EPOLL_CTL_ADD, wakeUp, &event) == 0 else {
      throw .system(function: "epoll_ctl", errorNumber: errno)
    }
  }

  func prepareThread() {}

  func wait(atMost milliseconds: Int32) {
    guard let daemon else { return }
    awaitReadiness(atMost: milliseconds)
    // libmicrohttpd waits no longer than its own deadlines allow, and not at all if a connection
    // has been resumed since its last turn.
    MHD_run_wait(daemon, milliseconds)
    afterTurn?()
  }

  func serve() {}

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

  /// Handles a message of libmicrohttpd.
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

  func awaitHandshake() { isAwaitingHandshake = true }

  func handshakeFinished(of connection: SecureConnection) {
    connections.handshakeEnded(of: connection)
  }

  fileprivate func opened(_ connection: OpaquePointer) -> ClientConnection {
    let client = ClientConnection(connection, at: loop.now)
    if let acceptor = shared.tlsAcceptor, let session = cmicrohttpd_tls_session(connection) {
      client.security = acceptor.secure(
        session: session, descriptor: cmicrohttpd_descriptor(connection), on: self)
    }
    connections.add(client)
    return client
  }

  fileprivate func closed(_ client: ClientConnection) {
    if let security = client.security, security === handshaking { handshaking = nil }
    connections.close(client)
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

  /// Removes a request that is about to be resumed.
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
  /// - Parameter whenIdle: Called on the loop's thread; called immediately if the loop is not
  ///   running.
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
  /// The corresponding C functions are `MHD_quiesce_daemon` and `MHD_stop_daemon`. The latter would
  /// abort the process if a connection were still suspended, so all are resumed before.
  ///
  /// - Parameters:
  ///   - isOutcomeKnown: Whether requests without a response get 503; otherwise their connections
  ///     are closed.
  ///   - stopped: Called on the loop's thread when all connections are closed; called immediately
  ///     if the loop is not running.
  func stop(isOutcomeKnown: Bool, _ stopped: @escaping @Sendable () -> Void) {
    guard loop.isRunning else { return stopped() }
    let isClosed = !loop.run {
      let listener = self.acceptor?.quiesce() ?? -1
      self.isStopping = true
      for request in self.suspendedRequests { request.giveUp(isOutcomeKnown: isOutcomeKnown) }
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
