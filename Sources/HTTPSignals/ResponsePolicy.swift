internal import HTTPTypes

/// The rules for all responses of a service: the format of problems, and the common header fields.
///
/// One object serves all requests. It is called on the thread that responds.
package protocol ResponsePolicy: AnyObject, Sendable {
  /// The problem that a request gets while the service drains.
  var draining: ProblemDetails { get }

  /// Creates the response to a problem; the request is `nil` if a connection is rejected before one
  /// has arrived.
  func response(for problem: ProblemDetails, to request: Request?) -> Response

  /// Adds the header fields that every response of the service has; called by `Exchange.respond`.
  func finish(_ response: inout Response, to request: Request)
}

/// A policy that writes problems as JSON, with the keys of their texts, and adds nothing to a
/// response.
package final class DefaultResponsePolicy: ResponsePolicy {
  /// The only type of this policy's own; a service has others.
  private enum Draining: String, ProblemType {
    case draining

    var status: HTTPResponse.Status { .serviceUnavailable }
  }

  /// The only instance; it has no state.
  package static let shared = DefaultResponsePolicy()

  private init() {}

  /// A problem without a meaning beyond its status, 503.
  package var draining: ProblemDetails {
    ProblemDetails(Draining.draining, fields: [.retryAfter: "5"])
  }

  /// Returns the problem as JSON, regardless of the preferences of the request.
  package func response(for problem: ProblemDetails, to request: Request?) -> Response {
    problem.response(to: request, title: problem.titleKey, detail: problem.text.key)
  }

  package func finish(_ response: inout Response, to request: Request) {}
}
