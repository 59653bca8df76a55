import HTTPSignals

/// A response policy that builds its responses with a closure.
final class ResponsePolicyStub: ResponsePolicy {
  private let respond: @Sendable (Request, ProblemDetails) -> Response

  init(_ respond: @escaping @Sendable (Request, ProblemDetails) -> Response) {
    self.respond = respond
  }

  var draining: ProblemDetails { DefaultResponsePolicy.shared.draining }

  func response(for problem: ProblemDetails, to request: Request?) -> Response {
    guard let request else { return DefaultResponsePolicy.shared.response(for: problem, to: nil) }
    return respond(request, problem)
  }

  func finish(_ response: inout Response, to request: Request) {}
}
