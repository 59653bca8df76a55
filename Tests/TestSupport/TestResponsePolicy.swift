package import HTTPSignals
internal import HTTPTypes

/// A policy that writes problems as JSON, with the keys of their texts, and adds nothing to a
/// response.
package final class TestResponsePolicy: ResponsePolicy {
  private enum Draining: String, ProblemType {
    case draining

    var status: HTTPResponse.Status { .serviceUnavailable }
  }

  /// Makes a policy, which has no state.
  package init() {}

  package var draining: ProblemDetails {
    ProblemDetails(Draining.draining, fields: [.retryAfter: "5"])
  }

  package func response(for problem: ProblemDetails, to request: Request?) -> Response {
    problem.response(to: request, title: problem.titleKey, detail: problem.text.key)
  }

  package func finish(_ response: inout Response, to request: Request) {}
}
