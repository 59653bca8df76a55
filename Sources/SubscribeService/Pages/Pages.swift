internal import HTTPSignals
internal import MailingList

/// The pages that browsers show.
final class Pages: Sendable {
  let texts: TextCatalog
  let frame: PageFrame
  let signUp: SignUpPage
  let script: ScriptTexts
  let thanks: ThanksPage
  let confirm: ConfirmPage
  let leave: LeavePage
  let problem: ProblemPage
  /// The paths that responses never repeat.
  let credentialPaths: PathSet
  let metrics: ProblemMetrics

  init(
    texts: TextCatalog, frame: PageFrame, nextStep: NextStep = .none, credentialPaths: PathSet,
    metrics: ProblemMetrics
  ) {
    self.texts = texts
    self.frame = frame
    self.credentialPaths = credentialPaths
    self.metrics = metrics
    signUp = SignUpPage(frame: frame, nextStep: nextStep)
    script = ScriptTexts(texts, nextStep: nextStep, profile: frame.profile)
    thanks = ThanksPage(frame: frame, nextStep: nextStep)
    confirm = ConfirmPage(frame: frame)
    leave = LeavePage(frame: frame)
    problem = ProblemPage(frame: frame)
  }

  /// Creates and counts the response to a problem: in the client's language, and as a page for a
  /// client that prefers HTML.
  ///
  /// The request is `nil` if none has arrived.
  func response(
    for problem: ProblemDetails, to request: Request?, as kind: PageFrame.Kind = .live
  ) -> Response {
    metrics.count(problem)
    let texts = self.texts.preferred(by: request)
    let isPage =
      switch kind {
      case .home, .live: request?.prefersHTML
      case .secret: request?.prefersHTMLOfLink
      }
    if isPage == true {
      return self.problem.response(to: problem, of: request, in: texts, as: kind)
    }
    return problem.response(
      to: request.flatMap { credentialPaths.contains($0.path) ? nil : $0 },
      title: texts.title(of: problem), detail: texts[problem.text])
  }
}
