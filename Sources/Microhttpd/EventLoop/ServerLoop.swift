internal import CGnuTLS
internal import CMicrohttpd
internal import Glibc
internal import HTTPSignals
internal import HTTPTypes
internal import Logging
internal import Signals

/// One event loop with its libmicrohttpd daemon, and the requests and streams that are open on it.
///
/// ```text
/// Daemon ──► ServerLoop ──► EventLoop ──► MHD_Daemon
///                │  ▲
///                ▼  └────────── PendingRequest, StreamRegistry ◄── MHD_Connection
///            exchanges
/// ```
// @unchecked Sendable because what is not constant is touched on the loop's thread only.
final class ServerLoop: @unchecked Sendable {
  let configuration: Daemon.Configuration
  let loop: EventLoop
  let connections: ConnectionTable
  let heads: HeadWatch
  let bodyBudget: BodyBudget
  let exchanges = Subject<Exchange, Never>()
  /// Secures connections as they are accepted; `nil` without TLS.
  let tlsAcceptor: TLSAcceptor?

  let streams: StreamRegistry
  private let memory = MemoryReturn()
  private var daemon: OpaquePointer?
  private var acceptor: Acceptor?
  /// The requests that wait to be answered, each at its place.
  private var parkedRequests: [PendingRequest] = []
  private var openRequestCount = 0
  private var isDraining = false
  /// Whether the last moment has begun, in which nothing may be suspended any more.
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

  /// Starts the daemon on a socket that it shares with the other loops.
  func start(on socket: ListenSocket, index: Int) throws(DaemonError) {
    // Each daemon closes the descriptor that it is given.
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
    // Not weakly: that would make each reference that is counted on the way of a request slower.
    // The loop lets go of its timers when it ends.
    loop.schedule(after: interval, repeating: interval) {
      self.connections.checkDeadlines(at: self.loop.now)
      self.configuration.rejections.logSummaries()
      self.memory.record(self.usedBytes)
    }
    loop.schedule(after: MemoryReturn.interval, repeating: MemoryReturn.interval) {
      self.memory.returnUnused(self.usedBytes)
    }
  }

  /// Ends the streams over a time, at random, and calls back when nothing is open any more.
  func drain(over time: Duration, whenIdle: @escaping @Sendable () -> Void) {
    guard loop.isRunning else { return whenIdle() }
    let isClosed = !loop.run {
      self.isDraining = true
      self.whenIdle = whenIdle
      // A tenth is left for the last of them to be read.
      self.streams.drain(within: time * 0.9)
      self.callWhenIdle()
    }
    if isClosed { whenIdle() }
  }

  /// Stops the daemon: answers what is still open, then closes all connections.
  ///
  /// - Parameters:
  ///   - isOutcomeKnown: Whether requests without a response get 503; otherwise their connections are
  ///     closed.
  ///   - stopped: Called on the loop's thread when all is closed.
  ///
  /// The corresponding C functions are `MHD_quiesce_daemon` and `MHD_stop_daemon`; a connection that
  /// is still suspended then would abort the process, so all are resumed before.
  func stop(isOutcomeKnown: Bool, _ stopped: @escaping @Sendable () -> Void) {
    guard loop.isRunning else { return stopped() }
    let isClosed = !loop.run {
      guard let daemon = self.daemon else { return stopped() }
      self.isStopping = true
      let listener = self.acceptor?.quiesce() ?? MHD_quiesce_daemon(daemon)
      for request in self.parkedRequests { request.giveUp(isOutcomeKnown: isOutcomeKnown) }
      self.streams.endAll()
      // A last while for the answers to be written, also on a busy machine; whoever does not read
      // them is cut.
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

  /// About how much memory connections and bodies take; the bodies are those of all loops.
  private var usedBytes: Int {
    connections.count * configuration.connectionMemoryBytes + bodyBudget.usedBytes
  }

  /// Whether a client may connect now.
  func accepts(_ peer: ClientAddress) -> Bool {
    if connections.accepts(peer, at: loop.nextTick) { return true }
    configuration.rejections.count(.connection)
    return false
  }

  /// Closes a connection whose head libmicrohttpd cannot take in, and tells the client why.
  func reject(_ connection: OpaquePointer, with problem: ProblemDetails) {
    guard let pointer = cmicrohttpd_socket_context(connection) else { return }
    if let kind = RejectionKind(problem.status) { configuration.rejections.count(kind) }
    // Held by C for as long as the connection is open.
    let client = Unmanaged<ClientConnection>.fromOpaque(pointer).takeUnretainedValue()
    if let session = cmicrohttpd_tls_session(connection) {
      // Between two responses nothing else is being sent.
      let response = RawResponse(problem).bytes
      _ = gnutls_record_send(session, response, response.count)
    }
    connections.reject(client, with: problem)
  }

  // MARK: Responses

  /// Makes libmicrohttpd's form of a response; the caller destroys it after it was queued.
  ///
  /// - Parameters:
  ///   - response: What is answered.
  ///   - isHead: Whether the request's method is HEAD.
  ///   - isLast: Whether the connection carries no further request.
  ///   - makeStream: Makes the response of an event stream.
  /// - Returns: `nil` when there is no memory.
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
    for field in response.fields { add(field.name.rawName, field.value, to: made) }
    add("X-Content-Type-Options", "nosniff", to: made)
    // RFC 6797: who came over TLS once does not come without it for a year.
    if tlsAcceptor != nil { add("Strict-Transport-Security", "max-age=31536000", to: made) }
    if isDraining || isLast { add("Connection", "close", to: made) }
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

  /// The head of a stream alone, without the length, which is not known.
  ///
  /// libmicrohttpd would send the last chunk after it, which an answer to HEAD must not have
  /// (RFC 9110 §9.3.2), so it is told to close the connection and use no chunks.
  private func makeHeadResponse() -> OpaquePointer? {
    let made = MHD_create_response_from_callback(.max, 2048, noReader, nil, nil)
    if let made { cmicrohttpd_set_flags(made, .RF_HTTP_1_0_COMPATIBLE_STRICT) }
    return made
  }

  private func add(_ name: String, _ value: String, to response: OpaquePointer) {
    // Not handed over as strings, which would be copied for the call, twelve times an answer.
    let added = name.withCString { name in
      value.withCString { MHD_add_response_header(response, name, $0) }
    }
    // Rejected when it holds a line break or is empty; a field that is missing must not go unseen.
    if added == .NO {
      configuration.rejections.count(.responseField, metadata: ["field": "\(name)"])
    }
  }

  // MARK: Messages

  /// Counts what libmicrohttpd says of the daemon, and leaves the rest to whoever debugs.
  func log(_ text: String) {
    // Not at once, because libmicrohttpd is accepting.
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
