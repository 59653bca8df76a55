internal import CGnuTLS
internal import CMicrohttpd
internal import Glibc
internal import HTTPSignals
internal import HTTPTypes
internal import Logging
internal import Signals

/// One event loop with its libmicrohttpd daemon, its open requests, and its streams.
///
/// ```text
/// Daemon ──► ServerLoop ──► EventLoop ──► MHD_Daemon
///                │  ▲
///                ▼  └────────── PendingRequest, StreamRegistry ◄── MHD_Connection
///            exchanges
/// ```
// @unchecked Sendable because mutable state is used on the loop's thread only.
final class ServerLoop: @unchecked Sendable {
  let configuration: Daemon.Configuration
  let loop: EventLoop
  let connections: ConnectionTable
  let heads: HeadWatch
  let bodyBudget: BodyBudget
  let exchanges = Subject<Exchange, Never>()
  /// The acceptor that sets up TLS on new connections; `nil` without TLS.
  let tlsAcceptor: TLSAcceptor?

  let streams: StreamRegistry
  private let memory = MemoryReturn()
  private var daemon: OpaquePointer?
  private var acceptor: Acceptor?
  /// The requests that wait for a response, each at its own `index`.
  private var parkedRequests: [PendingRequest] = []
  private var openRequestCount = 0
  private var isDraining = false
  /// Whether the daemon is closing its connections, so that none may be suspended from now on.
  private(set) var isStopping = false
  private var whenIdle: (@Sendable () -> Void)?

  init(
    configuration: Daemon.Configuration,
    clients: ConnectionCounts,
    tlsAcceptor: TLSAcceptor?,
    bodyBudget: BodyBudget,
    admission: StreamAdmission,
    directTransport: DirectTransport
  ) throws(DaemonError) {
    self.configuration = configuration
    self.tlsAcceptor = tlsAcceptor
    self.bodyBudget = bodyBudget
    connections = ConnectionTable(configuration, clients: clients)
    loop = try EventLoop()
    heads = HeadWatch(loop: loop, configuration)
    streams = StreamRegistry(
      loop: loop,
      configuration: configuration,
      admission: admission,
      directTransport: directTransport
    )
  }

  // MARK: Starting and stopping

  /// Starts the daemon on a socket that all loops share.
  ///
  /// - Parameters:
  ///   - socket: The socket, which stays open when the daemon stops.
  ///   - index: The number of the loop, for the name of its thread.
  /// - Throws: `DaemonError`.
  func start(on socket: ListenSocket, index: Int) throws(DaemonError) {
    // Each daemon closes its listening descriptor.
    let descriptor = fcntl(socket.descriptor, F_DUPFD_CLOEXEC, 3)
    guard descriptor >= 0 else { throw .system(function: "fcntl", errorNumber: errno) }
    let closure = Unmanaged.passUnretained(self).toOpaque()  // `Daemon` keeps this loop
    let options: [MHD_OptionItem] = [
      MHD_OptionItem(.EXTERNAL_LOGGER, unsafeBitCast(logHandler, to: Int.self), closure),
      MHD_OptionItem(.NOTIFY_COMPLETED, unsafeBitCast(completedHandler, to: Int.self), closure),
      MHD_OptionItem(.NOTIFY_CONNECTION, unsafeBitCast(connectionHandler, to: Int.self), closure),
      MHD_OptionItem(.UNESCAPE_CALLBACK, unsafeBitCast(unescapeHandler, to: Int.self)),
      MHD_OptionItem(.URI_LOG_CALLBACK, unsafeBitCast(requestLineHandler, to: Int.self), closure),
      MHD_OptionItem(.LISTEN_SOCKET, Int(descriptor)),
      MHD_OptionItem(.CONNECTION_LIMIT, connections.acceptedCount),
      MHD_OptionItem(.CONNECTION_TIMEOUT, Int(connections.timeoutSeconds)),
      MHD_OptionItem(.CONNECTION_MEMORY_LIMIT, configuration.connectionMemoryBytes),
    ]
    let started = startLibrary(
      MHD_ALLOW_SUSPEND_RESUME.rawValue,
      options,
      identity: configuration.identity,
      acceptedBy: acceptPolicy,
      handledBy: accessHandler,
      closure
    )
    guard let daemon = started else {
      close(descriptor)
      throw .libraryNotStarted
    }
    self.daemon = daemon
    acceptor = Acceptor(for: daemon, on: loop) { [unowned self] in accepts($0) }
    try loop.start(name: "enlist-http-\(index)", daemon: daemon)
    let interval = connections.deadlineCheckInterval
    // A strong reference: a weak one would slow down each retain and release in the handling of a
    // request. The loop releases its timers when it ends.
    loop.schedule(after: interval, repeating: interval) {
      self.connections.checkDeadlines(at: self.loop.now)
      self.configuration.rejections.logSummaries()
      self.memory.record(self.usedBytes)
    }
    loop.schedule(after: MemoryReturn.interval, repeating: MemoryReturn.interval) {
      self.memory.returnUnused(self.usedBytes)
    }
  }

  /// Ends the streams at random moments within a time, and calls back when no request is open.
  ///
  /// - Parameters:
  ///   - time: The length of the drain.
  ///   - whenIdle: Called on the loop's thread; called immediately if the loop is not running.
  func drain(over time: Duration, whenIdle: @escaping @Sendable () -> Void) {
    guard loop.isRunning else { return whenIdle() }
    let isClosed = !loop.run {
      self.isDraining = true
      self.whenIdle = whenIdle
      // Leave a tenth of the time for clients to read the last events.
      self.streams.drain(within: time * 0.9)
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
      guard let daemon = self.daemon else { return stopped() }
      self.isStopping = true
      let listener = self.acceptor?.quiesce() ?? MHD_quiesce_daemon(daemon)
      for request in self.parkedRequests { request.giveUp(isOutcomeKnown: isOutcomeKnown) }
      self.streams.endAll()
      // Allow some time to write the responses, even on a busy machine. Then the connections of
      // clients that do not read are closed.
      self.whenIdle = { self.finish(listener, stopped) }
      self.loop.schedule(after: .seconds(2)) { self.becomeIdle() }
      self.callWhenIdle()
    }
    if isClosed { stopped() }
  }

  private func finish(_ listener: Int32, _ stopped: @escaping @Sendable () -> Void) {
    loop.stop {
      if let daemon = self.daemon { MHD_stop_daemon(daemon) }
      self.daemon = nil
      if listener >= 0 { close(listener) }
      stopped()
    }
  }

  private func callWhenIdle() {
    if isDraining, openRequestCount == 0 { becomeIdle() }
  }

  private func becomeIdle() {
    let whenIdle = whenIdle
    self.whenIdle = nil
    whenIdle?()
  }

  // MARK: Requests

  func opened(_ request: PendingRequest) {
    openRequestCount += 1
  }

  func parked(_ request: PendingRequest) {
    request.index = parkedRequests.count
    parkedRequests.append(request)
  }

  func unparked(_ request: PendingRequest) {
    guard let last = parkedRequests.popLast(), last !== request else { return }
    parkedRequests[request.index] = last
    last.index = request.index
  }

  func closed(_ request: PendingRequest) {
    openRequestCount -= 1
    callWhenIdle()
  }

  // MARK: Connections

  /// The approximate memory of this loop's connections and of all loops' bodies, in bytes.
  private var usedBytes: Int {
    connections.count * configuration.connectionMemoryBytes + bodyBudget.usedBytes
  }

  /// Returns whether a client may connect now, and counts the rejection if not.
  func accepts(_ peer: ClientAddress) -> Bool {
    if connections.accepts(peer, at: loop.nextTick) { return true }
    configuration.rejections.count(.connection)
    return false
  }

  /// Sends a problem on a connection whose head libmicrohttpd cannot handle, and closes it.
  func reject(_ connection: OpaquePointer, with problem: ProblemDetails) {
    guard let pointer = cmicrohttpd_socket_context(connection) else { return }
    if let kind = RejectionKind(problem.status) { configuration.rejections.count(kind) }
    // C owns it for as long as the connection is open.
    let client = Unmanaged<ClientConnection>.fromOpaque(pointer).takeUnretainedValue()
    if let session = cmicrohttpd_tls_session(connection) {
      // No other response is being sent while a head arrives.
      let response = RawResponse(problem, configuration.responsePolicy).bytes
      _ = gnutls_record_send(session, response, response.count)
    }
    connections.reject(client, with: problem)
  }

  // MARK: Responses

  /// Converts a response for libmicrohttpd; the caller destroys the result after queueing it.
  ///
  /// - Parameters:
  ///   - response: The response.
  ///   - isHead: Whether the request's method is HEAD.
  ///   - isLast: Whether the connection is closed after the response.
  ///   - makeStream: Makes the response for an event stream.
  /// - Returns: libmicrohttpd's response; `nil` if there is not enough memory.
  func makeResponse(
    of response: Response,
    isHead: Bool,
    closing isLast: Bool,
    stream makeStream: (EventStream) -> OpaquePointer?
  ) -> OpaquePointer? {
    let made: OpaquePointer?
    switch response.body {
    case .none:
      made = MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT)
    case .bytes(let bytes):
      made = makeResponse(of: bytes)
    case .events(let stream):
      if isHead {
        stream.source?.dispose()
        made = makeHeadResponse()
      } else {
        made = makeStream(stream)
      }
    }
    guard let made else { return nil }
    response.fields.forEachCString { name, value in add(name, value, to: made) }
    addLiteral("X-Content-Type-Options", "nosniff", to: made)
    // RFC 6797: for a year, browsers use only TLS for this host.
    if tlsAcceptor != nil { addLiteral("Strict-Transport-Security", "max-age=31536000", to: made) }
    if isDraining || isLast { addLiteral("Connection", "close", to: made) }
    return made
  }

  private func makeResponse(of bytes: [UInt8]) -> OpaquePointer? {
    bytes.withUnsafeBytes { bytes in
      MHD_create_response_from_buffer(
        bytes.count,
        UnsafeMutableRawPointer(mutating: bytes.baseAddress),
        .RESPMEM_MUST_COPY
      )
    }
  }

  /// Makes a response that is only the head of a stream, without a length, which is not known.
  ///
  /// libmicrohttpd would send the last chunk after it, but a response to HEAD must not have content
  /// (RFC 9110 §9.3.2). So a flag makes it close the connection and use no chunks.
  private func makeHeadResponse() -> OpaquePointer? {
    let made = MHD_create_response_from_callback(.max, 2048, noReader, nil, nil)
    if let made { cmicrohttpd_set_flags(made, .RF_HTTP_1_0_COMPATIBLE_STRICT) }
    return made
  }

  private func addLiteral(
    _ name: StaticString,
    _ value: StaticString,
    to response: OpaquePointer
  ) {
    // The bytes of a literal end with a NUL. Swift would copy a `String` that is passed to C.
    add(
      UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self),
      UnsafeRawPointer(value.utf8Start).assumingMemoryBound(to: CChar.self),
      to: response
    )
  }

  private func add(
    _ name: UnsafePointer<CChar>,
    _ value: UnsafePointer<CChar>,
    to response: OpaquePointer
  ) {
    // libmicrohttpd rejects a field with a line break or without a value. Count it, because a
    // missing field must not go unnoticed.
    if MHD_add_response_header(response, name, value) == .NO {
      let name = String(cString: name)
      configuration.rejections.count(.responseField, metadata: ["field": "\(name)"])
    }
  }

  // MARK: Messages

  /// Counts a message of libmicrohttpd about the daemon as a whole, and logs all messages for
  /// debugging, except expected ones.
  func log(_ text: String) {
    // Not immediately, because libmicrohttpd is in the middle of accepting.
    if Acceptor.isFailure(text) { loop.run { self.acceptor?.takeOver() } }
    if let (connections, problem) = heads.rejected(text) {
      for connection in connections { reject(connection, with: problem) }
    }
    if streams.isExpected(text) { return }
    let message = LibraryMessage(text)
    if let kind = message.kind {
      configuration.rejections.count(kind, metadata: ["message": "\(message.text)"])
    }
    configuration.logger.debug("libmicrohttpd", metadata: ["message": "\(message.text)"])
  }
}
