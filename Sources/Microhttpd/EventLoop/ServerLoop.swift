internal import CMicrohttpd
internal import Glibc
internal import Security
internal import HTTPSignals
internal import Signals

/// One event loop with its libmicrohttpd daemon, its connections, its requests, and its streams.
///
/// ```text
/// Daemon ──► ServerLoop ──► EventLoop ──► LibraryDriver ──► MHD_Daemon
///                │
///                └──► ConnectionTable, RequestHost, StreamLoop ◄── callbacks of libmicrohttpd
/// ```
// @unchecked Sendable because mutable state is set before the loop starts and used on its thread.
final class ServerLoop: @unchecked Sendable {
  /// The loop, which runs from ``start(on:index:)`` on.
  let loop: EventLoop

  private let shared: SharedResources
  private let connections: ConnectionTable
  private let requests: RequestHost
  private let log: LibraryLog
  private let memory = MemoryReturn()
  private var driver: LibraryDriver?
  private var acceptor: Acceptor?

  init(_ shared: SharedResources) throws(DaemonError) {
    self.shared = shared
    loop = try EventLoop()
    connections = ConnectionTable(shared, loop: loop)
    requests = RequestHost(shared, loop, connections: connections)
    log = LibraryLog(logger: shared.options.logger, rejections: shared.rejections)
  }

  var exchanges: Signal<Exchange, Never> { requests.exchanges.signal }

  /// Starts the daemon on a socket that all loops share, and that stays open when the daemon stops.
  ///
  /// `index` is part of the thread's name.
  func start(on socket: ListenSocket, index: Int) throws(DaemonError) {
    let driver = LibraryDriver(try startDaemon(on: socket))
    let acceptor = Acceptor(for: driver, on: loop) { [connections] in connections.accepts($0) }
    self.driver = driver
    self.acceptor = acceptor
    connections.driver = driver
    driver.isServing = { [unowned requests] in requests.isServing }
    log.handshakeFailed = { [unowned driver] in driver.handshaking.take()?.rejectHandshake() }
    // Not immediately, because libmicrohttpd is in the middle of accepting.
    log.acceptFailed = { [loop] in loop.run { acceptor.takeOver() } }
    try loop.start(name: "enlist-http-\(index)", driving: driver)
    let interval = connections.deadlineCheckInterval
    // A strong reference: a weak one would slow down each retain and release in the handling of a
    // request. The loop releases its timers when it ends.
    loop.schedule(after: interval, repeating: interval) {
      // On a busy machine a tick comes late, and times that began with it are early by as much.
      self.connections.checkDeadlines(at: self.loop.now - EventLoop.tickLength)
      self.shared.rejections.logSummaries()
      self.memory.record(self.usedBytes)
    }
    loop.schedule(after: MemoryReturn.interval, repeating: MemoryReturn.interval) {
      self.memory.returnUnused(self.usedBytes)
    }
  }

  private func startDaemon(on socket: ListenSocket) throws(DaemonError) -> OpaquePointer {
    // Each daemon closes its listening descriptor.
    let descriptor = fcntl(socket.descriptor, F_DUPFD_CLOEXEC, 3)
    guard descriptor >= 0 else { throw .system(function: "fcntl", errorNumber: errno) }
    // `Daemon` retains this loop, which retains the objects that C gets.
    let options: [MHD_OptionItem] = [
      MHD_OptionItem(.EXTERNAL_LOGGER, calling: logHandler, log),
      MHD_OptionItem(.NOTIFY_COMPLETED, calling: completedHandler),
      MHD_OptionItem(.NOTIFY_CONNECTION, calling: connectionHandler, connections),
      MHD_OptionItem(.UNESCAPE_CALLBACK, calling: unescapeHandler),
      MHD_OptionItem(.URI_LOG_CALLBACK, calling: requestLineHandler, requests),
      MHD_OptionItem(.LISTEN_SOCKET, Int(descriptor)),
      MHD_OptionItem(.CONNECTION_LIMIT, connections.acceptedCount),
      MHD_OptionItem(.CONNECTION_TIMEOUT, Int(connections.timeoutSeconds)),
      MHD_OptionItem(.CONNECTION_MEMORY_LIMIT, shared.options.requests.connectionMemoryBytes),
    ]
    let started = startLibrary(
      MHD_ALLOW_SUSPEND_RESUME.rawValue, options, identity: shared.options.identity,
      acceptedBy: (acceptPolicy, connections), handledBy: accessHandler, requests)
    if let started { return started }
    close(descriptor)
    throw .libraryNotStarted
  }

  /// Ends the streams at random moments within a time, and calls back when no request is open.
  ///
  /// - Parameter whenIdle: Called on the loop's thread; called immediately if the loop is not
  ///   running.
  func drain(over time: Duration, whenIdle: @escaping @Sendable () -> Void) {
    guard loop.isRunning else { return whenIdle() }
    let isClosed = !loop.run {
      // Leave a tenth of the time for clients to read the last events.
      self.shared.streams.drain(within: time * 0.9)
      self.requests.drain(whenIdle)
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
      guard let driver = self.driver, let acceptor = self.acceptor else { return stopped() }
      let listener = acceptor.quiesce()
      self.requests.stop(isOutcomeKnown: isOutcomeKnown) {
        self.loop.stop {
          MHD_stop_daemon(driver.daemon)
          self.driver = nil
          if listener >= 0 { close(listener) }
          stopped()
        }
      }
      // Allow some time to write the responses, even on a busy machine. Then the connections of
      // clients that do not read are closed.
      self.loop.schedule(after: .seconds(2)) { self.requests.becomeIdle() }
    }
    if isClosed { stopped() }
  }

  /// The approximate memory of this loop's connections and of all loops' bodies, in bytes.
  private var usedBytes: Int {
    connections.count * shared.options.requests.connectionMemoryBytes + shared.bodyBudget.usedBytes
  }
}
