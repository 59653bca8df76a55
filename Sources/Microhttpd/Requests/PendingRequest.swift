internal import CMicrohttpd
internal import Glibc
internal import HTTPSignals
internal import HTTPTypes
internal import Locks
internal import Signals

/// A request on its way through libmicrohttpd, from its first part to its response.
///
/// ```text
/// MHD_Connection ──► PendingRequest ◄── Exchange's response closure
///                         │
///                         └──► ServerLoop
/// ```
///
/// C owns it from the first call of `accessHandler` until `completedHandler` is called.
// @unchecked Sendable because everything except `deliver` runs on the loop's thread, and `deliver`
// only passes the response to that thread.
final class PendingRequest: @unchecked Sendable {
  private enum State {
    /// The content is arriving.
    case receiving
    /// The request is complete and suspended: too many exchanges of its connection are in flight.
    case postponed
    /// The exchange has been dispatched and has no response yet.
    case dispatched
    /// As `dispatched`, with the connection suspended: exactly one resume is due.
    case parked
    /// The response has arrived and waits for the next call of the access handler.
    case responded(Response)
    /// No response will be sent: the next call of the access handler closes the connection.
    case abandoned
    /// libmicrohttpd owns the response.
    case queued
    /// The connection has finished with the request.
    case completed
  }

  private let server: ServerLoop
  private let connection: OpaquePointer
  private let client: ClientConnection?
  private let head: RequestHead
  private var path = ""
  private var body: RequestBody
  private var state = State.receiving
  private var wasParked = false
  /// The counter that includes this request's exchange; `nil` before the exchange is counted.
  private var inFlight: ExchangesInFlight?
  /// The index in the loop's array of parked requests.
  var index = 0

  /// Creates a request whose head has arrived.
  init(server: ServerLoop, connection: OpaquePointer, head: RequestHead) {
    self.server = server
    self.connection = connection
    self.head = head
    body = RequestBody(maximumBytes: server.configuration.maximumBodyBytes)
    client = cmicrohttpd_socket_context(connection).map { pointer in
      // C owns it for as long as the connection is open.
      Unmanaged<ClientConnection>.fromOpaque(pointer).takeUnretainedValue()
    }
  }

  /// Ends the exchange, which retains this object; runs on any thread.
  deinit {
    if let inFlight, inFlight.end() { server.loop.run { inFlight.resume() } }
  }

  // MARK: Arriving

  /// Validates the head, and rejects the request if its content need not arrive.
  ///
  /// - Returns: The return value of the access handler.
  func begin() -> MHD_Result {
    // Ignore requests on a connection that has been rejected.
    guard let client, !client.isClosing else { return .NO }
    client.headArrived(at: server.loop.nextTick)
    if let problem = RequestValidation.problem(in: head, server.configuration) {
      return reject(with: problem)
    }
    guard client.isFirst(head.start) else {
      return reject(with: .malformedRequest(.precedingBytes))
    }
    guard let path = head.path else { return reject(with: .malformedRequest(.target)) }
    self.path = path
    guard let length = head.fields.first(.contentLength).flatMap({ UInt64($0) }) else {
      return .YES
    }
    let maximum = server.configuration.maximumBodyBytes
    guard length <= UInt64(maximum) else {
      return queue(response(for: .tooLarge(maximumBodyBytes: maximum)))
    }
    body.declaredBytes = Int(length)
    return .YES
  }

  /// Rejects a request whose head is malformed, so that nothing in it can be relied on.
  private func reject(with problem: ProblemDetails) -> MHD_Result {
    queue(server.configuration.responsePolicy.response(for: problem, to: nil))
  }

  /// Appends a part of the content.
  ///
  /// libmicrohttpd cannot send a response while content is arriving. So excess bytes are discarded
  /// up to a limit, and the request is rejected at its end. A client that exceeds that limit is
  /// disconnected, and so is one that sends its content slowly when the memory for bodies is used
  /// up.
  func receive(_ part: UnsafeRawBufferPointer) -> MHD_Result {
    switch body.append(part, countedIn: server.bodyBudget) {
    case .taken: return .YES
    case .endless: return .NO
    case .outOfBudget:
      if let client { server.connections.reject(client, with: .tooManyBodies) }
      server.configuration.rejections.count(.unavailable)
      return .NO
    }
  }

  // MARK: Responding

  /// Dispatches the exchange on the first call, then queues the response or suspends the
  /// connection.
  func respond() -> MHD_Result {
    if case .receiving = state {
      guard mayDispatch() else { return postpone() }
      dispatch()
    }
    switch state {
    case .responded(let response):
      return queue(response)
    case .dispatched:
      // The drain is over: do not wait for the service any longer.
      if server.isStopping { return queue(drainingResponse()) }
      state = .parked
      suspend()
      return .YES
    case .receiving, .postponed, .parked, .abandoned, .queued, .completed:
      return .NO
    }
  }

  private func suspend() {
    // Everything that could deliver a response runs on this thread too, so nothing resumes the
    // connection before it is suspended.
    MHD_suspend_connection(connection)
    // A connection with its own timeout is on the list that libmicrohttpd 0.9.75 processes before
    // it reads. So it fetches the response first, which saves a read. If it read first, a client
    // that had sent everything and closed its sending side would never get the response, because
    // libmicrohttpd closes the connection when it reads the end.
    cmicrohttpd_set_timeout(connection, server.connections.timeoutSeconds + 1)
    wasParked = true
    server.parked(self)
  }

  private func resume() {
    server.unparked(self)
    // libmicrohttpd owns the connection from here on, and calls the access handler again.
    MHD_resume_connection(connection)
  }

  /// Counts one more exchange of the connection, unless the connection is at its limit.
  ///
  /// - Returns: Whether the exchange may be dispatched.
  private func mayDispatch() -> Bool {
    guard let client else { return true }
    guard client.exchanges.begin() else { return false }
    inFlight = client.exchanges
    return true
  }

  /// Suspends the request until the connection may have one more exchange in flight.
  private func postpone() -> MHD_Result {
    if server.isStopping { return queue(drainingResponse()) }
    state = .postponed
    client?.requestArrived()
    client?.exchanges.postpone(self)
    suspend()
    return .YES
  }

  /// Resumes a postponed request, because the connection is below its limit again.
  func resumePostponed() {
    guard case .postponed = state else { return }
    state = .receiving
    resume()
  }

  private func dispatch() {
    client?.requestArrived()
    state = .dispatched
    if body.isTooLarge {
      let maximum = server.configuration.maximumBodyBytes
      state = .responded(response(for: .tooLarge(maximumBodyBytes: maximum)))
      return
    }
    let request = request
    body.discard(from: server.bodyBudget)
    server.exchanges.send(
      Exchange(request, policy: server.configuration.responsePolicy) { self.deliver($0) }
    )
  }

  /// The request as far as it has arrived.
  private var request: Request {
    Request(
      method: head.method ?? .get,
      path: path,
      query: head.query,
      fields: head.fields,
      body: body.bytes,
      source: source
    )
  }

  /// Makes the response that the daemon sends for a problem: that of an exchange, which applies the
  /// response policy.
  private func response(for problem: ProblemDetails) -> Response {
    let sent = Lock<Response?>(nil)
    Exchange(request, policy: server.configuration.responsePolicy) { response in
      sent.withLock { $0 = response }
    }
    .respond(problem)
    // An exchange always sends a response.
    return sent.withLock { $0 } ?? Response(status: problem.status)
  }

  /// Makes the response to a request that is too late for the service.
  private func drainingResponse() -> Response {
    response(for: server.configuration.responsePolicy.draining)
  }

  /// The source of the request: the peer, or the client that the peer names if it is a trusted
  /// proxy.
  private var source: RequestSource {
    server.configuration.trustedProxies.source(of: client?.peer ?? .unknown, head.fields)
  }

  private var streamRequest: StreamRequest {
    StreamRequest(
      // A client without limits is counted as this machine, which has no limits either.
      client: source.limitedClient ?? .local,
      fields: head.fields,
      isHTTP10: head.isHTTP10,
      transport: server.streams.transport(on: connection)
    )
  }

  /// Passes the response to the loop; callable from any thread.
  private func deliver(_ response: Response) {
    if server.loop.isCurrent {
      responseArrived(response)
    } else {
      server.loop.run { self.responseArrived(response) }
    }
  }

  private func responseArrived(_ response: Response) {
    switch state {
    case .dispatched:
      state = .responded(response)
    case .postponed, .parked:
      state = .responded(response)
      resume()
    case .receiving, .responded, .abandoned, .queued, .completed:
      break
    }
  }

  /// Ends a parked request without waiting for the service any longer.
  ///
  /// - Parameter isOutcomeKnown: Whether no work that a request has started is still running. If
  ///   some is, the connection is closed without a response: 503 would promise that nothing was
  ///   stored.
  func giveUp(isOutcomeKnown: Bool) {
    switch state {
    case .parked where !isOutcomeKnown:
      state = .abandoned
      resume()
    case .receiving, .postponed, .dispatched, .parked, .responded, .abandoned, .queued, .completed:
      responseArrived(drainingResponse())
    }
  }

  private func queue(_ response: consuming Response) -> MHD_Result {
    state = .queued
    // Rejected streams are counted separately, by `admit`, so count before it replaces the
    // response.
    if let kind = RejectionKind(response.status) { server.configuration.rejections.count(kind) }
    let isHead = head.method == .head
    if !isHead, case .events(let stream) = response.body {
      switch server.streams.admit(stream, for: streamRequest) {
      case .admitted: break
      case .rejected(let problem):
        response = self.response(for: problem)
        // The client will retry, and other clients need the connection meanwhile.
        response.fields[.connection] = "close"
      case .deferred(let content):
        // Keep the other fields: an origin that may read the stream may also read that it is full.
        response.fields[.connection] = "close"
        response.body = .bytes(content)
      }
    }
    let isLast = !head.keepsConnection
    let made = server.makeResponse(of: response, isHead: isHead, closing: isLast) { stream in
      server.streams.makeResponse(of: stream, for: streamRequest, on: connection)
    }
    guard let made else { return .NO }
    defer { MHD_destroy_response(made) }
    switch response.body {
    case .events where !isHead: break  // a stream has deadlines of its own
    case .none, .bytes, .events: client?.responseBegan(at: server.loop.nextTick)
    }
    return MHD_queue_response(connection, UInt32(response.status.code), made)
  }

  /// Completes the request: the connection has finished with it.
  func complete() {
    state = .completed
    body.discard(from: server.bodyBudget)
    if wasParked { cmicrohttpd_set_timeout(connection, server.connections.timeoutSeconds) }
    client?.requestEnded(at: server.loop.nextTick)
  }
}
