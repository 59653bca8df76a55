internal import HTTPSignals
internal import HTTPTypes
internal import MailingList

/// The responses to a sign-up: JSON for programs; redirects and pages for forms.
final class SignUpResponses: Sendable {
  private let pages: Pages
  private let origins: OriginPolicy
  private let level: EmailLevel

  init(pages: Pages, origins: OriginPolicy, level: EmailLevel) {
    self.pages = pages
    self.origins = origins
    self.level = level
  }

  /// Makes the response to a stored sign-up; it is the same in every state of the list.
  func accepted(_ id: ExecutionID, _ form: SignUpForm, to request: Request) -> Response {
    guard request.prefersHTML else { return .accepted(id, after: .completed) }
    var response = Response(status: .seeOther)
    let next = form.next.flatMap { origins.permitsRedirect(to: $0) ? $0 : nil }
    response.fields[.location] = next ?? "/thanks/\(id)"
    response.fields[.cacheControl] = "no-store"
    return response
  }

  /// Rejects a sign-up that was not stored, with a suggestion for a likely typo.
  func rejected(
    _ error: SignUpError,
    _ form: SignUpForm,
    to exchange: Exchange
  ) {
    var problem = error.problem
    switch error {
    case .invalidAddress(let error):
      problem.suggestion = EmailSuggestion.forValidated(form.email, .failure(error), level: level)
    case .undeliverable:
      problem.suggestion = EmailSuggestion.forTyped(form.email, level: level)
    case .executing, .draining, .store: break
    }
    respond(problem, form, to: exchange)
  }

  /// Rejects a sign-up that exceeds the client's rate.
  ///
  /// The problem does not depend on the body; a form keeps the typed text.
  func limited(secondsToWait: Int, to exchange: Exchange) {
    let problem = ProblemDetails.tooManyRequests(.signUp, secondsToWait: secondsToWait)
    guard exchange.request.prefersHTML,
      case .success(let form) = SignUpForm.read(exchange.request)
    else {
      exchange.respond(problem)
      return
    }
    respond(problem, form, to: exchange)
  }

  private func respond(_ problem: ProblemDetails, _ form: SignUpForm, to exchange: Exchange) {
    if exchange.request.prefersHTML {
      let texts = Texts.preferred(by: exchange.request)
      let message = texts[problem.text]
      exchange.respond(pages.signUp.rejection(problem, message, of: form, in: texts))
    } else {
      exchange.respond(problem)
    }
  }
}
