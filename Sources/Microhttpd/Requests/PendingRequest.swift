internal import CMicrohttpd
internal import HTTPSignals
internal import HTTPTypes
internal import Signals
internal import Logging

/// A request on its way through libmicrohttpd, from its first part to its response.
///
/// ```text
/// MHD_Connection ──► PendingRequest ◄── Exchange's response closure
///                         │
///                         └──► RequestHost
/// ```
///
/// C owns it from `requestLineHandler` on until `completedHandler` is called.
// @unchecked Sendable because everything except `deliver` runs on the loop's thread, and `deliver`
// only passes the response to that thread.
final class PendingRequest: @unchecked Sendable {
  private let host: RequestHost
  private let connection: OpaquePointer
  private let client: ClientConnection?
  let target: RequestTarget
  private var head = RequestHead()
  /// Whether the head has arrived.
  private(set) var hasHead = false
  private var path = ""
  private var body: RequestBody
  private var state = RequestState.receiving
  /// Set from the arrival of the response until it is queued.
  private var arrivedResponse: Response?
  private var wasParked = false
  /// The counter that includes this exchange; `nil` before the exchange is counted.
  private var inFlight: ExchangesInFlight?
  /// The line for the log, until it is written; `nil` if requests are not logged.
  private var logEntry: RequestLog.Entry?
  /// The index in the loop's array of parked requests.
  var index = 0

  /// Creates a request whose request line has arrived, and rejects it if its target is invalid.
  init(host: RequestHost, connection: OpaquePointer, target: RequestTarget) {
    self.host = host
    self.connection = connection
    self.target = target
    body = RequestBody(maximumBytes: host.limits.maximumBodyBytes)
    client = .of(connection)
    CookieMarker.add(to: connection)
    if let problem = target.problem { close(with: problem) }
  }

  /// Ends the exchange, which retains this object; runs on any thread.
  deinit {
    if let inFlight, inFlight.end() { host.loop.run { inFlight.resume() } }
  }

  // MARK: Arriving

  /// Validates the head, and rejects the request if the content is not needed.
  func begin(_ head: RequestHead) -> MHD_Result {
    self.head = head
    hasHead = true
    logEntry = host.requestLog?.begin()
    host.opened(self)
    // Ignore requests on a connection that has been rejected.
    guard let client, !client.isClosing else { return .NO }
    client.headArrived(at: host.loop.nextTick)
    guard RequestValidation.leavesRoomForResponse(head, host.limits) else {
      return close(with: .fieldsTooLarge)
    }
    if let problem = RequestValidation.problem(in: head, host.limits) {
      return reject(with: problem)
    }
    guard let path = head.path else { return reject(with: .malformedRequest(.target)) }
    self.path = path
    if let length = head.fields.first(.contentLength).flatMap({ UInt64($0) }) {
      let maximum = host.limits.maximumBodyBytes
      guard length <= UInt64(maximum) else {
        return reject(with: response(for: .tooLarge(maximumBodyBytes: maximum)))
      }
      body.declaredBytes = Int(length)
    }
    return state.handle(.head) == .read ? .YES : .NO
  }

  private func reject(with response: Response) -> MHD_Result {
    // libmicrohttpd closes the connection after a response to a head.
    client?.lingers = true
    return state.handle(.rejection) == .queue ? queue(response) : .NO
  }

  /// Rejects a request without libmicrohttpd, which cannot send a response now.
  @discardableResult
  private func close(with problem: ProblemDetails) -> MHD_Result {
    if let client { host.connections.rejectHead(of: client, with: problem) }
    return .NO
  }

  /// Rejects a request whose head is malformed, so that nothing in it can be relied on.
  private func reject(with problem: ProblemDetails) -> MHD_Result {
    reject(with: host.responsePolicy.response(for: problem, to: nil))
  }

  /// Appends a part of the content.
  ///
  /// libmicrohttpd cannot send a response while content is arriving. So excess bytes are discarded
  /// up to a limit, and the request is rejected at its end. A client that exceeds that limit is
  /// disconnected, and so is one that sends its content slowly when the memory for bodies is used
  /// up.
  func receive(_ part: UnsafeRawBufferPointer) -> MHD_Result {
    guard state.handle(.part) == .append else { return .YES }
    switch body.append(part, countedIn: host.bodyBudget) {
    case .taken: return .YES
    case .endless: return .NO
    case .outOfBudget:
      if let client { host.connections.reject(client, with: .tooManyBodies) }
      host.rejections.count(.unavailable)
      return .NO
    }
  }

  // MARK: Responding

  /// Dispatches the exchange on the first call, then queues the response or suspends the
  /// connection.
  func respond() -> MHD_Result {
    var effect = state.handle(.end)
    while true {
      switch effect {
      case .count:
        effect = state.handle(isCounted() ? .admission : .limit(isStopping: host.isStopping))
      case .dispatch:
        dispatch()
        effect = state.handle(.dispatched(isStopping: host.isStopping))
      case .postpone:
        client?.requestArrived()
        client?.exchanges.postpone { self.resumePostponed() }
        suspend()
        return .YES
      case .suspend:
        suspend()
        return .YES
      case .queue:
        guard let response = arrivedResponse.take() else { return .NO }
        return queue(response)
      case .queueDraining:
        return queue(drainingResponse())
      case .read, .append, .keep, .resume, .respondDraining, .finish, .ignore, .close:
        return .NO
      }
    }
  }

  private func suspend() {
    // A connection with its own timeout is on the list that libmicrohttpd processes before it
    // reads. So it fetches the response first, which saves a read. If it read first, a client that
    // had sent everything and closed its sending side would never get the response, because
    // libmicrohttpd closes the connection when it reads the end. libmicrohttpd 1.0 ignores the
    // timeout of a connection that is suspended.
    cmicrohttpd_set_timeout(connection, host.connections.timeoutSeconds + 1)
    // Everything that could deliver a response runs on this thread too, so nothing resumes the
    // connection before it is suspended.
    MHD_suspend_connection(connection)
    wasParked = true
    host.parked(self)
  }

  private func resume() {
    host.unparked(self)
    host.connections.driver?.resumed()
    // libmicrohttpd owns the connection from here on, and calls the access handler again.
    MHD_resume_connection(connection)
  }

  /// Resumes a postponed request, because an exchange of its connection was released.
  private func resumePostponed() {
    if state.handle(.release) == .resume { resume() }
  }

  /// Counts one more exchange of the connection; returns `false` if the connection is at its limit.
  private func isCounted() -> Bool {
    guard let client else { return true }
    guard client.exchanges.begin() else { return false }
    inFlight = client.exchanges
    return true
  }

  private func dispatch() {
    client?.requestArrived()
    guard !body.isTooLarge else {
      let maximum = host.limits.maximumBodyBytes
      return responseArrived(response(for: .tooLarge(maximumBodyBytes: maximum)))
    }
    let request = request
    body.discard(from: host.bodyBudget)
    host.exchanges.send(Exchange(request, policy: host.responsePolicy) { self.deliver($0) })
  }

  /// The request as far as it has arrived.
  private var request: Request {
    Request(
      method: head.method ?? .get, path: path, query: head.query, fields: head.fields,
      body: body.bytes, source: source)
  }

  /// Creates the response to a problem through an exchange, which applies the response policy.
  private func response(for problem: ProblemDetails) -> Response {
    let sent = Lock<Response?>(nil)
    Exchange(request, policy: host.responsePolicy) { response in
      sent.withLock { $0 = response }
    }
    .respond(problem)
    // An exchange always sends a response.
    return sent.withLock { $0 } ?? Response(status: problem.status)
  }

  private func drainingResponse() -> Response {
    response(for: host.responsePolicy.draining)
  }

  /// The source of the request: the peer, or the client that the peer names if it is a trusted
  /// proxy.
  private var source: RequestSource {
    host.trustedProxies.source(of: client?.peer ?? .unknown, head.fields)
  }

  private func request(for stream: EventStream) -> StreamRequest {
    StreamRequest(
      stream,
      // A client without limits is counted as this machine, which has no limits either.
      client: source.limitedClient ?? .local,
      fields: head.fields,
      isHTTP10: head.isHTTP10
    )
  }

  /// Passes the response to the loop; callable from any thread.
  private func deliver(_ response: Response) {
    if host.loop.isCurrent {
      responseArrived(response)
    } else {
      host.loop.run { self.responseArrived(response) }
    }
  }

  private func responseArrived(_ response: Response) {
    let effect = state.handle(.response)
    guard effect != .ignore else { return }
    arrivedResponse = response
    if effect == .resume { resume() }
  }

  /// Ends a suspended request without waiting for the service any longer.
  func giveUp(isOutcomeKnown: Bool) {
    // The service may release the earlier exchanges after the loop has closed. Then the closure,
    // which retains this object, would never be called.
    client?.exchanges.forgetPostponed()
    let effect = state.handle(.drainEnd(isOutcomeKnown: isOutcomeKnown))
    if effect == .respondDraining { responseArrived(drainingResponse()) }
    if effect == .resume { resume() }
  }

  private func queue(_ response: consuming Response) -> MHD_Result {
    // Rejected streams are counted separately, by `admit`, so count before it replaces the
    // response.
    if let kind = RejectionKind(response.status) { host.rejections.count(kind) }
    let isHead = head.method == .head
    var transport: (any EventStreamTransport)?
    if !isHead, case .events(let stream) = response.body {
      switch host.streams.admit(request(for: stream), on: connection) {
      case .admitted(let chosen): transport = chosen
      case .tooMany: response = self.response(for: .tooManyStreams)
      case .draining: response = drainingResponse()
      case .deferred(let content):
        // Keep the other fields: an origin that may read the stream may also read that it is full.
        response.body = .bytes(content)
      }
      // A rejected client will retry, and other clients need the connection meanwhile.
      if transport == nil { response.fields[.connection] = "close" }
    }
    if let entry = logEntry.take() {
      host.requestLog?.end(entry, head, path: path, status: response.status, body: response.body)
    }
    guard let made = makeResponse(response, isHead: isHead, through: transport) else { return .NO }
    defer { made.destroy() }
    switch response.body {
    case .events where !isHead: break  // a stream has deadlines of its own
    case .none, .bytes, .events:
      if isLast { client?.lingers = true }
      client?.responseBegan(at: host.loop.nextTick)
    }
    return made.queue(on: connection, status: response.status.code)
  }

  private var isLast: Bool { host.isDraining || !head.keepsConnection }

  /// Converts a response for libmicrohttpd.
  ///
  /// - Returns: The response, which the caller destroys; `nil` if there is not enough memory.
  private func makeResponse(
    _ response: Response, isHead: Bool, through transport: (any EventStreamTransport)?
  ) -> MHDResponse? {
    let made = MHDResponse.make(response, isHead: isHead) { stream in
      transport?.makeResponse(to: request(for: stream), on: connection)
    }
    guard let made else { return nil }
    response.fields.forEachCString { name, value in
      // Count it, because a missing field must not go unnoticed.
      if !made.add(name, value) {
        let name = String(cString: name)
        host.rejections.count(.responseField, metadata: ["field": "\(name)"])
      }
    }
    made.add(literal: "X-Content-Type-Options", "nosniff")
    // RFC 6797: for a year, browsers use only TLS for this host.
    if host.isSecure { made.add(literal: "Strict-Transport-Security", "max-age=31536000") }
    if isLast { made.add(literal: "Connection", "close") }
    return made
  }

  /// Releases the resources of the request when its connection has finished with it.
  func complete() {
    guard hasHead else { return }
    defer { host.closed(self) }
    if let entry = logEntry.take() {
      host.requestLog?.abandon(entry, head, path: path)
    }
    guard state.handle(.completion) == .finish else { return }
    body.discard(from: host.bodyBudget)
    if wasParked { cmicrohttpd_set_timeout(connection, host.connections.timeoutSeconds) }
    client?.requestEnded(at: host.loop.nextTick)
  }
}
