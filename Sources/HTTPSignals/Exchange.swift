package import HTTPTypes
internal import Synchronization

/// One request and its single response.
///
/// Respond from any thread, at any time; only the first response is sent. An exchange released
/// without a response sends 500, so no client waits forever.
package final class Exchange: Sendable {
  package let request: Request

  private let policy: any ResponsePolicy
  private let send: @Sendable (Response) -> Void
  private let hasResponded = Atomic(false)

  /// Creates an exchange; only Microhttpd and tests do.
  ///
  /// - Parameter send: Sends the response to the client. It is called exactly once, on the thread
  ///   that responds or that releases the exchange.
  package init(
    _ request: Request, policy: any ResponsePolicy, send: @escaping @Sendable (Response) -> Void
  ) {
    self.request = request
    self.policy = policy
    self.send = send
  }

  deinit {
    if !hasResponded.load(ordering: .acquiring) { respond(.internalError) }
  }

  /// Completes the response by the policy, and sends it; drops any but the first one.
  package func respond(_ response: consuming Response) {
    guard !hasResponded.exchange(true, ordering: .acquiringAndReleasing) else { return }
    // Consuming the response keeps its fields uniquely referenced: adding one copies nothing.
    policy.finish(&response, to: request)
    send(response)
  }

  package func respond(_ problem: ProblemDetails) {
    guard !hasResponded.load(ordering: .acquiring) else { return }
    respond(policy.response(for: problem, to: request))
  }
}

/// A request that has been received completely.
package final class Request: Sendable {
  package let method: HTTPRequest.Method
  /// The path as sent, still percent-encoded.
  package let path: String
  /// The name-value pairs of the query, as sent.
  package let query: FieldList
  package let fields: FieldList
  /// The body, no longer than the server's limit.
  package let body: [UInt8]
  /// The client, and how the server identified it.
  package let source: RequestSource
  package var client: ClientAddress { source.client }

  /// Creates a request; only Microhttpd and tests do.
  package init(
    method: HTTPRequest.Method, path: String, query: FieldList = FieldList(),
    fields: FieldList = FieldList(), body: [UInt8] = [], source: RequestSource
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.fields = fields
    self.body = body
    self.source = source
  }
}

package struct Response: Sendable {
  package var status: HTTPResponse.Status
  /// The header fields, without `Content-Length`, which the transport adds.
  package var fields: FieldList
  package var body: ResponseBody

  package init(
    status: HTTPResponse.Status, fields: FieldList = FieldList(), body: ResponseBody = .none
  ) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  package static func json(_ status: HTTPResponse.Status, _ json: JSONText) -> Response {
    var fields = FieldList()
    fields.append(.contentType, "application/json")
    fields.append(.cacheControl, "no-store")
    return Response(status: status, fields: fields, body: .bytes(json.bytes))
  }

  package static func json(
    _ status: HTTPResponse.Status = .ok, _ members: (inout JSONObject) -> Void
  ) -> Response {
    var json = JSONText()
    json.object(members)
    return .json(status, json)
  }
}

package enum ResponseBody: Sendable {
  case none
  case bytes([UInt8])
  case events(EventStream)
}

/// The rules for all responses of a service: the format of problems, and the common header fields.
///
/// One object serves all requests. It is called on the thread that responds.
package protocol ResponsePolicy: AnyObject, Sendable {
  /// The problem that a request gets while the service drains.
  var draining: ProblemDetails { get }

  /// Creates the response to a problem; without a request if none has arrived.
  func response(for problem: ProblemDetails, to request: Request?) -> Response

  /// Adds the header fields that every response of the service has.
  func finish(_ response: inout Response, to request: Request)
}
