internal import CMicrohttpd
internal import Glibc
internal import HTTPSignals
internal import HTTPTypes
internal import Signals

/// A request on its way through libmicrohttpd: what has arrived of it, and its answer.
///
/// ```text
/// MHD_Connection ──► PendingRequest ◄── Exchange's answer closure
///                         │
///                         └──► ServerLoop
/// ```
///
/// C holds it from the first call of the access handler to the completed call.
// @unchecked Sendable because all but `deliver` runs on the loop's thread, and `deliver` only hands
// over to it.
final class PendingRequest: @unchecked Sendable {
  private enum State {
    /// Its content is arriving.
    case receiving
    /// It is whole and suspended, because too many exchanges of its connection are in flight.
    case postponed
    /// Its exchange was sent and not yet answered.
    case dispatched
    /// As before, and the connection is suspended: exactly one resume is due.
    case parked
    /// The answer is there and waits for the next call of the access handler.
    case responded(Response)
    /// There will be no response: the connection is closed at the next call of the access handler.
    case abandoned
    /// The answer belongs to libmicrohttpd.
    case queued
    /// The connection is done with it.
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
  /// Set when it is counted there.
  private var inFlight: ExchangesInFlight?
  /// Where the loop keeps it while it is parked.
  var index = 0

  /// Makes a request of which the head has arrived.
  init(server: ServerLoop, connection: OpaquePointer, head: RequestHead) {
    self.server = server
    self.connection = connection
    self.head = head
    body = RequestBody(maximumBytes: server.configuration.maximumBodyBytes)
    client = cmicrohttpd_socket_context(connection).map { pointer in
      // Held by C for as long as the connection is open.
      Unmanaged<ClientConnection>.fromOpaque(pointer).takeUnretainedValue()
    }
  }

  /// The exchange holds this object, so its end is the end of the exchange; on any thread.
  deinit {
    if let inFlight, inFlight.end() { server.loop.run { inFlight.resume() } }
  }

  // MARK: Arriving

  /// Looks at the head, and rejects what need not arrive.
  ///
  /// - Returns: What the access handler returns.
  func begin() -> MHD_Result {
    // What still comes from somebody who was turned away is not done.
    guard let client, !client.isClosing else { return .NO }
    client.headArrived(at: server.loop.nextTick)
    if let problem = RequestValidation.problem(in: head, server.configuration) {
      return queue(problem.response)
    }
    guard client.isFirst(head.start) else {
      return queue(ProblemDetails.malformedRequest("Something is before the request.").response)
    }
    guard let path = head.path else {
      let problem = ProblemDetails.malformedRequest("The target is none, or of another host.")
      return queue(problem.response)
    }
    self.path = path
    guard let length = head.fields.first("content-length").flatMap({ UInt64($0) }) else {
      return .YES
    }
    let maximum = server.configuration.maximumBodyBytes
    guard length <= UInt64(maximum) else {
      return queue(response(for: .tooLarge(maximumBodyBytes: maximum)))
    }
    body.declaredBytes = Int(length)
    return .YES
  }

  /// Takes a part of the content.
  ///
  /// In the middle of it nothing can be answered through libmicrohttpd, so what is too much is
  /// swallowed for a while and answered at the end; who goes on is cut off, and so is who sends
  /// slowly when there is no memory for it.
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

  // MARK: Answering

  /// Asks for the answer: sends the exchange the first time, queues what came of it.
  func respond() -> MHD_Result {
    if case .receiving = state {
      guard mayDispatch() else { return postpone() }
      dispatch()
    }
    switch state {
    case .responded(let response):
      return queue(response)
    case .dispatched:
      // Who was not answered within the drain is not waited for.
      if server.isStopping { return queue(response(for: .draining)) }
      state = .parked
      suspend()
      return .YES
    case .receiving, .postponed, .parked, .abandoned, .queued, .completed:
      return .NO
    }
  }

  private func suspend() {
    // On the loop's thread, as everything that could answer is: nobody resumes before.
    MHD_suspend_connection(connection)
    // A timeout of its own puts the connection on the list that libmicrohttpd 0.9.75 goes through
    // before it reads. So it asks for the answer first, which saves a read, and which a client
    // that has sent all and closed its half would never get: at its end the connection is closed.
    cmicrohttpd_set_timeout(connection, server.connections.timeoutSeconds + 1)
    wasParked = true
    server.parked(self)
  }

  private func resume() {
    server.unparked(self)
    // From here on the connection is libmicrohttpd's, which calls the access handler again.
    MHD_resume_connection(connection)
  }

  /// Whether the connection has room for one more exchange; counts it.
  private func mayDispatch() -> Bool {
    guard let client else { return true }
    guard client.exchanges.begin() else { return false }
    inFlight = client.exchanges
    return true
  }

  /// Waits until the connection has room for one more exchange.
  private func postpone() -> MHD_Result {
    if server.isStopping { return queue(response(for: .draining)) }
    state = .postponed
    client?.requestArrived()
    client?.exchanges.postpone(self)
    suspend()
    return .YES
  }

  /// There is room now.
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

  /// What has arrived.
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

  /// What is answered in the place of whoever would have.
  private func response(for problem: ProblemDetails) -> Response {
    server.configuration.responsePolicy.finishedResponse(for: problem, to: request)
  }

  /// Who asks: the peer, or whom it names when it is a proxy.
  private var source: RequestSource {
    server.configuration.trustedProxies.source(of: client?.peer ?? .unknown, head.fields)
  }

  private var streamRequest: StreamRequest {
    StreamRequest(
      // Whom no limit applies to is counted as this machine, which has none.
      client: source.limitedClient ?? .local,
      fields: head.fields,
      isHTTP10: head.isHTTP10,
      transport: server.streams.transport(on: connection)
    )
  }

  /// Takes the answer to the loop; from any thread.
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

  /// Answers a parked request in the place of whoever has not.
  ///
  /// - Parameter isOutcomeKnown: Whether nothing that was asked for is still being done. If not, the
  ///   connection is closed without a response: 503 would promise that nothing was stored.
  func giveUp(isOutcomeKnown: Bool) {
    switch state {
    case .parked where !isOutcomeKnown:
      state = .abandoned
      resume()
    case .receiving, .postponed, .dispatched, .parked, .responded, .abandoned, .queued, .completed:
      responseArrived(response(for: .draining))
    }
  }

  private func queue(_ response: consuming Response) -> MHD_Result {
    state = .queued
    // Before the streams, which count on their own.
    if let kind = RejectionKind(response.status) { server.configuration.rejections.count(kind) }
    let isHead = head.method == .head
    if !isHead, case .events(let stream) = response.body {
      switch server.streams.admit(stream, for: streamRequest) {
      case .admitted: break
      case .rejected(let problem):
        response = self.response(for: problem)
        // Its client is about to come again, and others wait for a connection.
        response.fields[.connection] = "close"
      case .deferred(let content):
        // Who may read the stream may read that there is no place for it.
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
    case .events where !isHead: break  // looks itself at how its client reads
    case .none, .bytes, .events: client?.responseBegan(at: server.loop.nextTick)
    }
    return MHD_queue_response(connection, UInt32(response.status.code), made)
  }

  /// The connection is done with the request.
  func complete() {
    state = .completed
    body.discard(from: server.bodyBudget)
    if wasParked { cmicrohttpd_set_timeout(connection, server.connections.timeoutSeconds) }
    client?.requestEnded(at: server.loop.nextTick)
  }
}
