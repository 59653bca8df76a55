internal import HTTPSignals

/// The pages that browsers show.
final class Pages: Sendable {
  let frame: PageFrame
  let signUp: SignUpPage
  let thanks: ThanksPage
  let problem: ProblemPage

  /// Creates the pages.
  ///
  /// - Parameter allowedOrigins: The sites to which a form may redirect.
  init(allowedOrigins: AllowedOrigins) {
    frame = PageFrame(formTargets: allowedOrigins.sources)
    signUp = SignUpPage(frame: frame)
    thanks = ThanksPage(frame: frame)
    problem = ProblemPage(frame: frame)
  }

  /// Makes the response for a problem: in the client's language, and as a page for a client that
  /// prefers HTML.
  func response(for problem: ProblemDetails, to request: Request?) -> Response {
    let texts = Texts.preferred(by: request)
    if let request, request.prefersHTML { return self.problem.response(to: problem, in: texts) }
    return problem.response(
      to: request,
      title: texts.title(of: problem),
      detail: texts[problem.text]
    )
  }
}
