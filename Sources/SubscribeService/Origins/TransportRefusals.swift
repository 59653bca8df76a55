internal import Locks
package import HTTPSignals

/// How requests are answered that the transport refuses before they reach the service: as the
/// service would, with what the site of a page may read, and as a page for those who read pages.
package struct TransportRefusals: Sendable {
  private let pages: Pages
  private let origins: OriginPolicy

  /// Makes the answers of a service.
  ///
  /// - Parameters:
  ///   - allowedOrigins: Sites that may use the service from their pages.
  ///   - publicOrigin: Where the service itself is reached, if that is known.
  package init(allowedOrigins: AllowedOrigins, publicOrigin: WebOrigin?) {
    pages = Pages(allowedOrigins: allowedOrigins)
    origins = OriginPolicy(allowed: allowedOrigins, publicOrigin: publicOrigin)
  }

  /// Answers a request.
  ///
  /// - Parameters:
  ///   - request: What has arrived of it.
  ///   - problem: Why it is refused.
  /// - Returns: The answer.
  package func response(to request: Request, for problem: ProblemDetails) -> Response {
    let answer = Lock<Response?>(nil)
    let exchange = Exchange(request) { response in answer.withLock { $0 = response } }
    pages.decorate(origins.decorate(exchange)).respond(problem)
    return answer.withLock { $0 } ?? problem.response
  }
}
