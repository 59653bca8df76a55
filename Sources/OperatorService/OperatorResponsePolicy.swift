package import HTTPSignals
internal import HTTPTypes

/// The response policy of the operator's listener: JSON in English, and nothing for pages of other
/// origins.
package final class OperatorResponsePolicy: ResponsePolicy {
  /// The texts of problems.
  let wording: ProblemWording
  /// The problem of a request while the service drains.
  package let draining: ProblemDetails

  /// Creates a policy.
  package init(wording: ProblemWording, draining: ProblemDetails) {
    self.wording = wording
    self.draining = draining
  }

  /// Returns the problem as JSON, whatever the client prefers.
  package func response(for problem: ProblemDetails, to request: Request?) -> Response {
    var response = problem.response(
      to: request,
      title: wording.title(problem),
      detail: wording.detail(problem.text)
    )
    // A request that is rejected before it becomes an exchange is not finished below.
    response.fields[.crossOriginResourcePolicy] = "same-origin"
    return response
  }

  /// Keeps pages of other origins from embedding the response; it has no CORS header field.
  package func finish(_ response: inout Response, to request: Request) {
    response.fields[.crossOriginResourcePolicy] = "same-origin"
  }
}
