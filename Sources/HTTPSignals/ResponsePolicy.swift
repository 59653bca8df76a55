/// The rules for all responses of a service: the format of problems, and what every response gets.
///
/// One object serves all requests. It is called on the thread that responds.
package protocol ResponsePolicy: AnyObject, Sendable {
  /// Makes the response for a problem.
  ///
  /// - Parameters:
  ///   - problem: The problem.
  ///   - request: The request.
  /// - Returns: The response, in the format and language that the client prefers.
  func response(for problem: ProblemDetails, to request: Request) -> Response

  /// Adds what every response of the service has.
  ///
  /// - Parameters:
  ///   - response: The response.
  ///   - request: The request.
  func finish(_ response: inout Response, to request: Request)
}

extension ResponsePolicy {
  /// Makes the complete response for a problem: `response(for:to:)`, then `finish(_:to:)`.
  ///
  /// - Parameters:
  ///   - problem: The problem.
  ///   - request: The request.
  /// - Returns: The response.
  package func finishedResponse(for problem: ProblemDetails, to request: Request) -> Response {
    var response = response(for: problem, to: request)
    finish(&response, to: request)
    return response
  }
}

/// A policy that writes problems as JSON and adds nothing to a response.
package final class DefaultResponsePolicy: ResponsePolicy {
  /// The only instance; it has no state.
  package static let shared = DefaultResponsePolicy()

  private init() {}

  /// Returns the problem as JSON, whatever the request prefers.
  package func response(for problem: ProblemDetails, to request: Request) -> Response {
    problem.response(to: request)
  }

  /// Adds nothing.
  package func finish(_ response: inout Response, to request: Request) {}
}
