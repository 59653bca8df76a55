internal import CMicrohttpd
internal import HTTPSignals
internal import HTTPTypes
internal import Logging
internal import Signals

/// The life of a request, from its request line to the end of its response.
///
/// ```text
/// MHD_Connection ──► RequestInProgress ◄── Exchange's response closure
///                         │
///                         └──► HTTPLoop
/// ```
///
/// C owns it from `requestLineHandler` on until `completedHandler` is called. libmicrohttpd takes a
/// response in certain calls of the access handler only, suspends a connection only there, and wants
/// exactly one resume for each suspension.
// @unchecked Sendable because everything except `deliver` runs on the loop's thread, and `deliver`
// only passes the response to that thread.
final class RequestInProgress: @unchecked Sendable {
  private enum State {
    case receiving
    /// The exchange has been sent to the service, which has not responded.
    case dispatched
    /// As `dispatched`, with the connection suspended.
    case suspended
    /// `waiting` is for the next call of the access handler.
    case responded
    /// No response will be sent: the next call of the access handler closes the connection.
    case abandoned
    /// libmicrohttpd has the response, or the request has ended.
    case over
  }

  private let http: HTTPLoop
  private let connection: OpaquePointer
  private let client: ClientConnection
  let target: RequestTarget
  // No checks of exclusivity for the three that are marked, which were a thirtieth of a request: only
  // the loop's thread uses them, and nothing that is called while one is set uses it.
  /// `nil` until it has arrived.
  @exclusivity(unchecked)
  private(set) var head: RequestHead?
  private var path = ""
  /// The source of the request: the peer, or the client that the peer names if it is a trusted
  /// proxy.
  private lazy var source = http.shared.options.trustedProxies.source(
    of: client.peer, head?.fields ?? FieldList())
  private var body: RequestBody
  @exclusivity(unchecked)
  private var state = State.receiving
  /// The response: for the next call of the access handler, or with a stream whose first
  /// event is awaited.
  @exclusivity(unchecked)
  private var waiting: Response?
  private var wasSuspended = false
  /// The time at which the head had arrived, until the line of the log is written.
  private var unloggedSince: ContinuousClock.Instant?
  /// The index in the loop's array of suspended requests.
  var index = 0

  /// Creates a request whose request line has arrived, and rejects it if its target is invalid.
  init(
    on http: HTTPLoop, connection: OpaquePointer, of client: ClientConnection,
    target: RequestTarget
  ) {
    self.http = http
    self.connection = connection
    self.client = client
    self.target = target
    body = RequestBody(maximumBytes: http.shared.options.requests.maximumBodyBytes)
    client.requestLineArrived(at: http.loop.nextTick)
    CookieMarker.add(to: connection)
    if let problem = target.problem { rejectDirectly(with: problem) }
  }

  // MARK: Arriving

  /// Validates the head, and rejects the request if the content is not needed.
  func begin(_ head: RequestHead) -> MHD_Result {
    self.head = head
    if http.shared.requestLog != nil { unloggedSince = .now }
    http.opened(self)
    // Ignore requests on a connection that has been rejected.
    guard !client.isClosing else { return .NO }
    client.headArrived()
    guard head.leavesRoomForResponse(http.shared.options.requests) else {
      return rejectDirectly(with: .fieldsTooLarge)
    }
    if let problem = head.problem(http.shared.options.requests) {
      return reject(with: problem)
    }
    guard let path = head.path else { return reject(with: .malformedRequest(.target)) }
    self.path = path
    if let length = head.fields.first(.contentLength).flatMap({ UInt64($0) }) {
      let maximum = http.shared.options.requests.maximumBodyBytes
      guard length <= UInt64(maximum) else {
        return reject(with: response(for: .tooLarge(maximumBodyBytes: maximum)))
      }
      body.declaredBytes = Int(length)
    }
    return .YES
  }

  private func reject(with response: Response) -> MHD_Result {
    // libmicrohttpd closes the connection after a response to a head.
    client.lingers = true
    return queue(response)
  }

  /// Rejects a request without libmicrohttpd, which cannot send a response now.
  @discardableResult
  private func rejectDirectly(with problem: ProblemDetails) -> MHD_Result {
    if let kind = RejectionKind(problem.status) { http.shared.rejections.count(kind) }
    client.reject(with: problem, http.limits, at: http.loop.now)
    return .NO
  }

  /// Rejects a malformed head, nothing in which can be relied on.
  private func reject(with problem: ProblemDetails) -> MHD_Result {
    reject(with: http.shared.options.responsePolicy.response(for: problem, to: nil))
  }

  /// Appends a part of the content.
  ///
  /// libmicrohttpd cannot send a response while content is arriving. So excess bytes are discarded
  /// up to a limit, and the request is rejected at its end. A client that exceeds that limit is
  /// disconnected; one that sends slowly when the memory for bodies is used up gets 503 first.
  func receive(_ part: UnsafeRawBufferPointer) -> MHD_Result {
    guard case .receiving = state else { return .YES }
    // After a deadline, the client has been told that the request was not carried out.
    guard !client.isClosing else { return .NO }
    switch body.append(part, countedIn: http.shared.bodyBudget) {
    case .taken: return .YES
    case .endless: return .NO
    case .outOfBudget: return rejectDirectly(with: .tooManyBodies)
    }
  }

  // MARK: Responding

  /// Dispatches the exchange on the first call, then queues the response or suspends the
  /// connection.
  func respond() -> MHD_Result {
    switch state {
    case .receiving:
      guard !client.isClosing else { return .NO }
      state = .dispatched
      dispatch()
      // The service may have responded already.
      if let response = takeResponse() { return queue(response) }
      guard http.isStopping else { return suspend() }
      // When the drain is over, nobody waits for the service any longer.
      return queue(waiting.take().map(Self.withoutStream) ?? drainingResponse())
    case .responded: return takeResponse().map { queue($0) } ?? .NO
    case .dispatched, .suspended, .abandoned, .over: return .NO
    }
  }

  /// Takes the response if it waits for the access handler; a copy would retain all of its parts.
  private func takeResponse() -> Response? {
    if case .responded = state { waiting.take() } else { nil }
  }

  private func suspend() -> MHD_Result {
    // A connection with its own timeout is on the list that libmicrohttpd processes before it
    // reads. So it fetches the response first, which saves a read. If it read first, a client that
    // had sent everything and closed its sending side would never get the response, because
    // libmicrohttpd closes the connection when it reads the end. libmicrohttpd 1.0 ignores the
    // timeout of a connection that is suspended.
    cmicrohttpd_set_timeout(connection, http.timeoutSeconds + 1)
    // Everything that could deliver a response runs on this thread too, so nothing resumes the
    // connection before it is suspended.
    MHD_suspend_connection(connection)
    state = .suspended
    wasSuspended = true
    http.suspended(self)
    return .YES
  }

  private func resume() {
    http.resumed(self)
    // libmicrohttpd owns the connection from here on, and calls the access handler again.
    MHD_resume_connection(connection)
  }

  private func dispatch() {
    client.requestArrived()
    guard !body.isTooLarge else {
      let maximum = http.shared.options.requests.maximumBodyBytes
      return responseArrived(response(for: .tooLarge(maximumBodyBytes: maximum)))
    }
    let request = request
    body.discard(from: http.shared.bodyBudget)
    http.exchanges.send(
      Exchange(request, policy: http.shared.options.responsePolicy) { self.deliver($0) })
  }

  /// The request as far as it has arrived.
  private var request: Request {
    Request(
      method: head?.method ?? .get, path: path, query: head?.query ?? FieldList(),
      fields: head?.fields ?? FieldList(),
      body: body.bytes, source: source)
  }

  /// Creates the response to a problem of which the service does not learn.
  private func response(for problem: ProblemDetails) -> Response {
    let request = request
    let policy = http.shared.options.responsePolicy
    var response = policy.response(for: problem, to: request)
    policy.finish(&response, to: request)
    return response
  }

  private func drainingResponse() -> Response {
    response(for: http.shared.options.responsePolicy.draining)
  }

  /// Passes the response to the loop; callable from any thread.
  private func deliver(_ response: Response) {
    if http.loop.isCurrent {
      responseArrived(response)
    } else if !http.loop.run({ self.responseArrived(response) }) {
      Self.endStream(of: response)
    }
  }

  private func responseArrived(_ response: Response) {
    let isSuspended: Bool
    switch state {
    case .dispatched: isSuspended = false
    case .suspended: isSuspended = true
    // libmicrohttpd may have freed the connection.
    case .receiving, .responded, .abandoned, .over: return Self.endStream(of: response)
    }
    if case .events(let stream) = response.body, head?.method != .head,
      !StreamSocket.canTakeOver(connection)
    {
      return sendPart(of: stream, response)
    }
    waiting = response
    state = .responded
    if isSuspended { resume() }
  }

  /// Ends the subscription of a stream that nobody will open.
  private static func endStream(of response: Response) {
    if case .events(let stream) = response.body { stream.source?.dispose() }
  }

  /// Sends the events so far, after which the client reconnects: the socket cannot be taken over.
  private func sendPart(of stream: EventStream, _ response: Response) {
    waiting = response
    stream.part(on: http.loop).subscribe(next: { part in
      var response = response
      response.body = .bytes(part)
      self.deliver(response)
    })
  }

  /// Returns a response whose stream has not begun with what makes its client come back: an error
  /// status would stop an EventSource permanently.
  private static func withoutStream(_ response: Response) -> Response {
    endStream(of: response)
    var response = response
    response.body = .bytes(EventStream.busyContent)
    return response
  }

  /// Ends a suspended request without waiting for the service any longer.
  func abandon(isOutcomeKnown: Bool) {
    guard case .suspended = state else { return }
    if let response = waiting.take() {
      responseArrived(Self.withoutStream(response))
    } else if isOutcomeKnown {
      responseArrived(drainingResponse())
    } else {
      state = .abandoned
      resume()
    }
  }

  private func queue(_ response: consuming Response) -> MHD_Result {
    state = .over
    // Rejected streams are counted separately, by `open`, so count before it replaces the response.
    if let kind = RejectionKind(response.status) { http.shared.rejections.count(kind) }
    let isHead = head?.method == .head
    var takeover: SocketTakeover?
    if !isHead, let head, case .events(let stream) = response.body {
      // A client without limits is counted as this machine, which has no limits either.
      let request = StreamRequest(
        stream, client: source.limitedClient ?? .local, query: head.query, fields: head.fields,
        isHTTP10: head.isHTTP10)
      takeover = open(request, &response)
    }
    if let head, let start = unloggedSince.take() {
      http.shared.requestLog?.end(
        head, path: path, since: start, status: response.status, body: response.body)
    }
    guard let made = makeResponse(response, takeover) else { return .NO }
    defer { made.destroy() }
    switch response.body {
    case .events where !isHead: break  // a stream has deadlines of its own
    case .none, .bytes, .events:
      if isLast { client.lingers = true }
      client.responseBegan(at: http.loop.nextTick)
    }
    return made.queue(on: connection, status: response.status.code)
  }

  /// Admits a stream, or changes the response to a problem, or to what makes an EventSource
  /// reconnect, which an error status would stop permanently.
  private func open(_ request: StreamRequest, _ response: inout Response) -> SocketTakeover? {
    if !http.isDraining, http.shared.admission.enter(request.client) {
      return SocketTakeover(of: connection, for: request, by: http.shared.streams)
    }
    request.stream.source?.dispose()
    if !http.isDraining { http.shared.rejections.count(.stream) }
    if head?.fields.acceptsEvents == true {
      // Keep the other fields: an origin that may read the stream may also read that it is full.
      response.body = .bytes(EventStream.busyContent)
    } else {
      response = http.isDraining ? drainingResponse() : self.response(for: .tooManyStreams)
    }
    // A rejected client will retry, and other clients need the connection meanwhile.
    response.fields[.connection] = "close"
    return nil
  }

  private var isLast: Bool { http.isDraining || head?.keepsConnection == false }

  /// Converts a response, which the caller destroys; `nil` if there is not enough memory.
  private func makeResponse(_ response: Response, _ takeover: SocketTakeover?) -> MHDResponse? {
    let made = if let takeover { takeover.makeResponse() } else { MHDResponse(response) }
    guard let made else { return nil }
    response.fields.forEachCString { name, value in
      // Count it, because a missing field must not go unnoticed.
      if !made.add(name, value) {
        let name = String(cString: name)
        http.shared.rejections.count(.responseField, metadata: ["field": "\(name)"])
      }
    }
    made.add(literal: "X-Content-Type-Options", "nosniff")
    // RFC 6797: for a year, browsers use only TLS for this http.
    if http.shared.tlsAcceptor != nil {
      made.add(literal: "Strict-Transport-Security", "max-age=31536000")
    }
    if isLast { made.add(literal: "Connection", "close") }
    return made
  }

  func complete() {
    guard let head else { return }
    defer { http.closed(self) }
    if let start = unloggedSince.take() {
      http.shared.requestLog?.abandon(head, path: path, since: start)
    }
    if let response = takeResponse() { Self.endStream(of: response) }
    state = .over
    body.discard(from: http.shared.bodyBudget)
    if wasSuspended { cmicrohttpd_set_timeout(connection, http.timeoutSeconds) }
    client.requestEnded(at: http.loop.nextTick)
  }
}

// MARK: Callbacks of libmicrohttpd

// They are nonisolated globals, so they run on the loop's thread without an actor hop. None of them
// throws or blocks.

/// Begins a request: its request line has arrived (`MHD_OPTION_URI_LOG_CALLBACK`).
///
/// The result is the request's context in all later callbacks. ``completedHandler`` is called for
/// each request that has begun, even if its head never arrives or libmicrohttpd rejects it.
let requestLineHandler:
  @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) ->
    UnsafeMutableRawPointer? = { closure, target, connection in
      // A connection is announced before its first request. Without a context it is closed.
      guard let closure, let target, let connection, let client = ClientConnection.of(connection)
      else { return nil }
      let http = Unmanaged<HTTPLoop>.fromOpaque(closure).takeUnretainedValue()
      let request = RequestInProgress(
        on: http, connection: connection, of: client,
        target: RequestTarget(target, http.shared.options.requests))
      // C owns the request from here on; `completedHandler` releases it.
      return Unmanaged.passRetained(request).toOpaque()
    }

/// Receives a request part by part (`MHD_AccessHandlerCallback`).
///
/// The first call brings the head. It queues a response only to reject the request, because
/// libmicrohttpd then closes the connection. The following calls bring the content. The last call,
/// with no bytes, asks for the response; libmicrohttpd repeats that call after a resume.
let accessHandler: MHD_AccessHandlerCallback = {
  _,
  connection,
  url,
  method,
  version,
  upload,
  uploadSize,
  context in
  guard let connection, let url, let method, let version, let uploadSize,
    let pointer = context?.pointee
  else {
    return .NO
  }
  // C owns the request for the whole call, so it is not retained here.
  return Unmanaged<RequestInProgress>.fromOpaque(pointer)._withUnsafeGuaranteedRef { request in
    guard request.head != nil else {
      return request.begin(
        RequestHead(
          connection, url: url, method: method, version: version,
          targetByteCount: request.target.byteCount))
    }
    guard uploadSize.pointee > 0 else { return request.respond() }
    let part = UnsafeRawBufferPointer(start: upload, count: uploadSize.pointee)
    uploadSize.pointee = 0
    return request.receive(part)
  }
}

/// Completes a request; called once for each request that ``requestLineHandler`` has begun
/// (`MHD_OPTION_NOTIFY_COMPLETED`).
let completedHandler: MHD_RequestCompletedCallback = { _, _, context, _ in
  guard let pointer = context?.pointee else { return }
  context?.pointee = nil
  // Balances `passRetained` in `requestLineHandler`.
  Unmanaged<RequestInProgress>.fromOpaque(pointer).takeRetainedValue().complete()
}
