/// What is the same in all answers of a service, whoever gives them: in which form problems are told,
/// and what every answer says besides.
///
/// One object for all requests, asked on whatever thread answers.
package protocol ResponsePolicy: AnyObject, Sendable {
  /// Tells what is wrong.
  ///
  /// - Parameters:
  ///   - problem: What is wrong.
  ///   - request: What was asked.
  /// - Returns: The answer, in the form and language that the client would rather have.
  func response(for problem: ProblemDetails, to request: Request) -> Response

  /// Adds what every answer says.
  ///
  /// - Parameters:
  ///   - response: The answer.
  ///   - request: What was asked.
  func finish(_ response: inout Response, to request: Request)
}

extension ResponsePolicy {
  /// The whole answer where something is wrong, with what every answer says.
  ///
  /// - Parameters:
  ///   - problem: What is wrong.
  ///   - request: What was asked.
  /// - Returns: The answer.
  package func finishedResponse(for problem: ProblemDetails, to request: Request) -> Response {
    var response = response(for: problem, to: request)
    finish(&response, to: request)
    return response
  }
}

/// Tells problems as JSON, and adds nothing.
package final class DefaultResponsePolicy: ResponsePolicy {
  /// The only one: it knows nothing.
  package static let shared = DefaultResponsePolicy()

  private init() {}

  package func response(for problem: ProblemDetails, to request: Request) -> Response {
    problem.response(to: request)
  }

  package func finish(_ response: inout Response, to request: Request) {}
}
