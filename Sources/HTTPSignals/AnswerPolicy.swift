/// What is the same in all answers of a service, whoever gives them: in which form problems are told,
/// and what every answer says besides.
///
/// One object for all requests, asked on whatever thread answers.
package protocol AnswerPolicy: AnyObject, Sendable {
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
  func complete(_ response: inout Response, to request: Request)
}

extension AnswerPolicy {
  /// The whole answer where something is wrong: where it happened, and what every answer says.
  ///
  /// - Parameters:
  ///   - problem: What is wrong.
  ///   - request: What was asked.
  /// - Returns: The answer.
  package func answer(with problem: ProblemDetails, to request: Request) -> Response {
    var problem = problem
    if isPlain(request.path) { problem.instance = request.path }
    var response = response(for: problem, to: request)
    complete(&response, to: request)
    return response
  }
}

/// Whether a path is made of slashes and unreserved characters (RFC 3986 §2.3) only; another one is
/// not repeated to anybody, since it may hold an address.
private func isPlain(_ path: String) -> Bool {
  path.utf8.first == UInt8(ascii: "/")
    && path.utf8.allSatisfy { octet in
      switch octet {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"),
        UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
        true
      default: false
      }
    }
}

/// Tells problems as JSON, and adds nothing.
package final class PlainAnswers: AnswerPolicy {
  /// The only one: it knows nothing.
  package static let shared = PlainAnswers()

  private init() {}

  package func response(for problem: ProblemDetails, to request: Request) -> Response {
    problem.response
  }

  package func complete(_ response: inout Response, to request: Request) {}
}
