internal import HTTPTypes

/// The rules for all responses of a service: the format of problems, and what every response gets.
///
/// One object serves all requests. It is called on the thread that responds.
package protocol ResponsePolicy: AnyObject, Sendable {
  /// The problem that a request gets while the service drains.
  var draining: ProblemDetails { get }

  /// Makes the response for a problem.
  ///
  /// - Parameter request: The request; `nil` for a connection that is rejected before one has
  ///   arrived.
  func response(for problem: ProblemDetails, to request: Request?) -> Response

  /// Adds what every response of the service has; `Exchange.respond` calls it for each response.
  func finish(_ response: inout Response, to request: Request)
}

/// A policy that writes problems as JSON, with the keys of their texts, and adds nothing to a
/// response.
package final class DefaultResponsePolicy: ResponsePolicy {
  /// The only type and text of this policy's own; a service has others.
  private enum Draining: String, ProblemType, TextKey {
    case draining

    var status: HTTPResponse.Status { .serviceUnavailable }
    var key: String { "problem.draining.detail" }
  }

  /// The only instance; it has no state.
  package static let shared = DefaultResponsePolicy()

  private init() {}

  /// A problem without a meaning beyond its status, 503.
  package var draining: ProblemDetails {
    ProblemDetails(Draining.draining, Draining.draining, fields: [.retryAfter: "5"])
  }

  /// Returns the problem as JSON, whatever the request prefers.
  package func response(for problem: ProblemDetails, to request: Request?) -> Response {
    problem.response(to: request, title: problem.titleKey, detail: problem.text.key)
  }

  /// Adds nothing.
  package func finish(_ response: inout Response, to request: Request) {}
}
