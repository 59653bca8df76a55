internal import HTTPSignals
package import MailingList

/// The pages that browsers show.
final class Pages: Sendable {
  let texts: TextCatalog
  let nextStep: NextStep
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
    texts: TextCatalog, frame: PageFrame, nextStep: NextStep, credentialPaths: PathSet,
    metrics: ProblemMetrics
  ) {
    self.texts = texts
    self.nextStep = nextStep
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

/// The next step for the owner of an address after a sign-up, as described on pages.
package enum NextStep: String, Sendable {
  /// No step: opt-in is single.
  case none
  /// Pressing the button on the page of the mail's link.
  case link
  /// Pressing that button, or typing the code of the mail.
  case code

  package init(_ optIn: OptIn, sendsCode: Bool) {
    self =
      switch optIn {
      case .single: .none
      case .double: sendsCode ? .code : .link
      }
  }

  /// Returns the text that describes the step; `nil` without one.
  func text(in texts: Texts) -> String? {
    switch self {
    case .none: nil
    case .link: texts[.codeNone]
    case .code: texts[.codeIntro]
    }
  }
}
