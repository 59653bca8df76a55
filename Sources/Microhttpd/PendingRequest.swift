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
    /// Its exchange was sent and not yet answered.
    case handedOver
    /// As before, and the connection is suspended: exactly one resume is due.
    case parked
    /// The answer is there and waits for the next call of the access handler.
    case answered(Response)
    /// The answer belongs to libmicrohttpd.
    case queued
    /// The connection is done with it.
    case completed
  }

  private let server: ServerLoop
  private let connection: OpaquePointer
  private let clock: ConnectionClock?
  private let method: HTTPRequest.Method
  private let path: String
  private let peer: ClientAddress
  private var query = NameValuePairs()
  private var fields = NameValuePairs()
  private var body: [UInt8] = []
  private var isHTTP10 = false
  private var discardedByteCount = 0
  private var state = State.receiving

  init(
    server: ServerLoop,
    connection: OpaquePointer,
    url: UnsafePointer<CChar>,
    method: UnsafePointer<CChar>
  ) {
    self.server = server
    self.connection = connection
    clock = cmicrohttpd_socket_context(connection).map { pointer in
      // Held by C for as long as the connection is open.
      Unmanaged<ConnectionClock>.fromOpaque(pointer).takeUnretainedValue()
    }
    self.method = Self.method(named: method)
    path = String(cString: url)
    peer = ClientAddress(peerOf: connection)
  }

  // MARK: Arriving

  /// Reads the head, and refuses what need not arrive.
  ///
  /// - Parameter version: `HTTP/1.1`, for instance.
  /// - Returns: What the access handler returns.
  func receiveHead(version: UnsafePointer<CChar>) -> MHD_Result {
    if let clock { server.awaitRequest(on: clock) }
    let closure = Unmanaged.passUnretained(self).toOpaque()
    MHD_get_connection_values_n(connection, .HEADER_KIND, pairHandler, closure)
    MHD_get_connection_values_n(connection, .GET_ARGUMENT_KIND, pairHandler, closure)
    isHTTP10 = strcmp(version, "HTTP/1.0") == 0
    if let objection = RequestAudit.objection(to: fields, isHTTP10: isHTTP10) {
      return queue(objection.response)
    }
    guard let length = fields.first("content-length").flatMap({ UInt64($0) }) else { return .YES }
    let maximum = server.configuration.maximumBodyBytes
    guard length <= UInt64(maximum) else {
      return queue(ProblemDetails.tooLarge(maximumBodyBytes: maximum).response)
    }
    body.reserveCapacity(Int(length))
    return .YES
  }

  /// Takes a field or a pair of the query; called by `pairHandler`.
  func take(
    _ kind: MHD_ValueKind,
    name: UnsafeRawBufferPointer,
    value: UnsafeRawBufferPointer
  ) {
    if kind == .HEADER_KIND {
      fields.append(name: name, value: value)
    } else {
      query.append(name: name, value: value)
    }
  }

  /// Takes a part of the content.
  ///
  /// In the middle of it nothing can be answered, so what is too much is swallowed for a while and
  /// answered at the end; who goes on is cut off.
  func receive(_ part: UnsafeRawBufferPointer) -> MHD_Result {
    let maximum = server.configuration.maximumBodyBytes
    if discardedByteCount == 0, body.count + part.count <= maximum {
      body.append(contentsOf: part)
      return .YES
    }
    body = []
    discardedByteCount += part.count
    return discardedByteCount <= 4 * maximum ? .YES : .NO
  }

  // MARK: Answering

  /// Asks for the answer: sends the exchange the first time, queues what came of it.
  func answer() -> MHD_Result {
    if case .receiving = state { handOver() }
    switch state {
    case .answered(let response):
      return queue(response)
    case .handedOver:
      // Who was not answered within the drain is not waited for.
      if server.isStopping { return queue(ProblemDetails.draining.response) }
      state = .parked
      // On the loop's thread, as everything that could answer is: nobody resumes before.
      MHD_suspend_connection(connection)
      server.parked(self)
      return .YES
    case .receiving, .parked, .queued, .completed:
      return .NO
    }
  }

  private func handOver() {
    clock?.stop()
    state = .handedOver
    if discardedByteCount > 0 {
      let maximum = server.configuration.maximumBodyBytes
      state = .answered(ProblemDetails.tooLarge(maximumBodyBytes: maximum).response)
      return
    }
    let request = Request(
      method: method,
      path: path,
      query: query,
      fields: fields,
      body: body,
      client: client
    )
    body = []
    server.exchanges.send(Exchange(request) { self.deliver($0) })
  }

  /// Who asks: the peer, or whom it names when it is a proxy.
  private var client: ClientAddress {
    server.configuration.trustedProxies.client(behind: peer, fields)
  }

  private var streamRequest: StreamRequest {
    StreamRequest(client: client, fields: fields, isHTTP10: isHTTP10)
  }

  /// Takes the answer to the loop; from any thread.
  private func deliver(_ response: Response) {
    if server.loop.isCurrent {
      accept(response)
    } else {
      server.loop.run { self.accept(response) }
    }
  }

  private func accept(_ response: Response) {
    switch state {
    case .handedOver:
      state = .answered(response)
    case .parked:
      state = .answered(response)
      server.unparked(self)
      // From here on the connection is libmicrohttpd's, which calls the access handler again.
      server.loop.resume(connection)
    case .receiving, .answered, .queued, .completed:
      break
    }
  }

  /// Answers a parked request in the place of whoever has not.
  func giveUp() {
    accept(ProblemDetails.draining.response)
  }

  private func queue(_ response: Response) -> MHD_Result {
    state = .queued
    let isHead = method == .head
    var response = response
    if !isHead, case .events(let stream) = response.body,
      let refusal = server.streams.admit(stream, for: streamRequest)
    {
      response = refusal
    }
    let made = server.makeResponse(of: response, isHead: isHead) { stream in
      server.streams.makeResponse(of: stream, for: streamRequest, on: connection)
    }
    guard let made else { return .NO }
    defer { MHD_destroy_response(made) }
    return MHD_queue_response(connection, UInt32(response.status.code), made)
  }

  /// The connection is done with the request.
  func complete() {
    state = .completed
    if let clock { server.awaitRequest(on: clock) }
  }

  // MARK: What C knows

  private static func method(named name: UnsafePointer<CChar>) -> HTTPRequest.Method {
    if strcmp(name, "POST") == 0 { return .post }
    if strcmp(name, "GET") == 0 { return .get }
    if strcmp(name, "HEAD") == 0 { return .head }
    // A method that is no token of RFC 9110 §9.1 matches no route either.
    return HTTPRequest.Method(String(cString: name)) ?? .trace
  }
}
