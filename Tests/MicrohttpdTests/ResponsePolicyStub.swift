import HTTPSignals
import TestSupport

/// A response policy that builds its responses with a closure.
final class ResponsePolicyStub: ResponsePolicy {
  private let respond: @Sendable (Request, ProblemDetails) -> Response
  /// Called with each problem.
  private let heard: @Sendable (ProblemDetails) -> Void

  init(
    _ respond: @escaping @Sendable (Request, ProblemDetails) -> Response = {
      TestResponsePolicy().response(for: $1, to: $0)
    },
    heard: @escaping @Sendable (ProblemDetails) -> Void = { _ in }
  ) {
    self.heard = heard
    self.respond = respond
  }

  var draining: ProblemDetails { TestResponsePolicy().draining }

  func response(for problem: ProblemDetails, to request: Request?) -> Response {
    heard(problem)
    guard let request else { return TestResponsePolicy().response(for: problem, to: nil) }
    return respond(request, problem)
  }

  func finish(_ response: inout Response, to request: Request) {}
}
