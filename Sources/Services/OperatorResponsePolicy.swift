package import HTTPSignals
internal import HTTPTypes

/// The response policy of the operator's listener: JSON in English, and nothing for pages of other
/// origins.
package final class OperatorResponsePolicy: ResponsePolicy {
  package init() {}

  package var draining: ProblemDetails { .commandDisabled }

  /// Returns the problem as JSON, regardless of the client's preferences.
  package func response(for problem: ProblemDetails, to request: Request?) -> Response {
    var response = problem.response(
      to: request, title: Texts.english.title(of: problem), detail: Texts.english[problem.text])
    // `finish` is not called for a request that is rejected before it becomes an exchange.
    response.fields[.crossOriginResourcePolicy] = "same-origin"
    return response
  }

  /// Prevents pages of other origins from embedding the response, which has no CORS header field.
  package func finish(_ response: inout Response, to request: Request) {
    response.fields[.crossOriginResourcePolicy] = "same-origin"
  }
}
