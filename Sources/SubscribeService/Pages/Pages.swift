internal import HTTPSignals

/// The pages that browsers show.
final class Pages: Sendable {
  let frame: PageFrame
  let signUp: SignUpPage
  let thanks: ThanksPage
  let confirm: ConfirmPage
  let leave: LeavePage
  let problem: ProblemPage
  /// The counts of problems.
  let metrics: ProblemMetrics

  /// Creates the pages.
  ///
  /// - Parameters:
  ///   - frame: The parts that all pages share.
  ///   - nextStep: What is left to do after a sign-up.
  ///   - listName: The name of the list.
  ///   - metrics: The counts of problems.
  init(
    frame: PageFrame,
    nextStep: NextStep = .none,
    listName: String = "",
    metrics: ProblemMetrics
  ) {
    self.frame = frame
    self.metrics = metrics
    signUp = SignUpPage(frame: frame, nextStep: nextStep)
    thanks = ThanksPage(frame: frame, nextStep: nextStep)
    confirm = ConfirmPage(frame: frame, listName: listName)
    leave = LeavePage(frame: frame, listName: listName)
    problem = ProblemPage(frame: frame)
  }

  /// Makes and counts the response for a problem: in the client's language, and as a page for a
  /// client that prefers HTML.
  ///
  /// - Parameters:
  ///   - problem: The problem.
  ///   - request: The request; `nil` if none has arrived.
  ///   - kind: What a page may do.
  /// - Returns: The response, with the status and the header fields of the problem.
  func response(
    for problem: ProblemDetails,
    to request: Request?,
    as kind: PageFrame.Kind = .live
  ) -> Response {
    metrics.count(problem)
    let texts = Texts.preferred(by: request)
    if let request, request.prefersHTML {
      return self.problem.response(to: problem, in: texts, as: kind)
    }
    return problem.response(
      to: request,
      title: texts.title(of: problem),
      detail: texts[problem.text]
    )
  }
}
