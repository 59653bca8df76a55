import HTTPSignals

/// Tells problems in a way of the test's own.
final class ToldProblems: ResponsePolicy {
  private let tell: @Sendable (Request, ProblemDetails) -> Response

  init(_ tell: @escaping @Sendable (Request, ProblemDetails) -> Response) {
    self.tell = tell
  }

  func response(for problem: ProblemDetails, to request: Request) -> Response {
    tell(request, problem)
  }

  func finish(_ response: inout Response, to request: Request) {}
}
