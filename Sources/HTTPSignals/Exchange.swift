internal import Synchronization

/// One request and its single response.
///
/// Respond from any thread, at any time; only the first response is sent. An exchange released
/// without a response sends 500, so no client waits forever.
///
/// ```swift
/// let request = Request(method: .get, path: "/status")
/// let exchange = Exchange(request) { response in print(response.status) }
/// exchange.respond(Response(status: .noContent))  // true
/// exchange.respond(.notFound)  // false: a response has been sent
/// ```
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
    _ request: Request, policy: any ResponsePolicy = DefaultResponsePolicy.shared,
    send: @escaping @Sendable (Response) -> Void
  ) {
    self.request = request
    self.policy = policy
    self.send = send
  }

  deinit {
    if !hasResponded.load(ordering: .acquiring) { respond(.internalError) }
  }

  /// Responds to the request; the one place where the policy completes a response.
  ///
  /// - Returns: Whether this is the first response; a later one is dropped.
  @discardableResult
  package func respond(_ response: consuming Response) -> Bool {
    guard !hasResponded.exchange(true, ordering: .acquiringAndReleasing) else { return false }
    // Consuming the response keeps its fields uniquely referenced: adding one copies nothing.
    policy.finish(&response, to: request)
    send(response)
    return true
  }

  /// Responds to the request with problem details.
  ///
  /// - Returns: Whether this is the first response; a later one is dropped.
  @discardableResult
  package func respond(_ problem: ProblemDetails) -> Bool {
    guard !hasResponded.load(ordering: .acquiring) else { return false }
    return respond(policy.response(for: problem, to: request))
  }
}
