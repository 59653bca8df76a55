internal import HTTPSignals
internal import HTTPTypes
internal import MailingList

/// What a sign-up is answered: JSON for programs, and where to go next for a form.
final class SignUpResponses: Sendable {
  private let pages: Pages
  private let origins: OriginPolicy
  private let level: EmailLevel

  init(pages: Pages, origins: OriginPolicy, level: EmailLevel) {
    self.pages = pages
    self.origins = origins
    self.level = level
  }

  /// The answer to a sign-up that was stored: the same in every state of the list.
  func accepted(_ id: ExecutionID, _ form: SignUpForm, to request: Request) -> Response {
    guard request.prefersHTML else { return .accepted(id, after: .completed) }
    var response = Response(status: .seeOther)
    let next = form.next.flatMap { origins.permitsRedirect(to: $0) ? $0 : nil }
    response.fields[.location] = next ?? "/thanks/\(id)"
    response.fields[.cacheControl] = "no-store"
    return response
  }

  /// The answer to a sign-up that was not, with what may have been meant.
  func rejected(
    _ error: SignUpError,
    _ form: SignUpForm,
    to exchange: Exchange
  ) {
    let request = exchange.request
    let texts = Texts.preferred(by: request)
    let message = texts.message(error)
    var problem = error.problem
    switch error {
    case .invalidAddress(let error):
      problem.suggestion = EmailSuggestion.forValidated(form.email, .failure(error), level: level)
    case .undeliverable:
      problem.suggestion = EmailSuggestion.forTyped(form.email, level: level)
    case .executing, .draining, .store:
      respond(problem, message, form, in: texts, to: exchange)
      return
    }
    // In English it says so by itself.
    if problem.detail != message {
      problem.detail = message
      for index in problem.errors.indices { problem.errors[index].detail = message }
    }
    respond(problem, message, form, in: texts, to: exchange)
  }

  /// The answer to one sign-up too many: the same whatever is in it, save that a form keeps what
  /// was typed.
  func limited(secondsToWait: Int, to exchange: Exchange) {
    let problem = ProblemDetails.tooManyRequests(.signUp, secondsToWait: secondsToWait)
    guard exchange.request.prefersHTML,
      case .success(let form) = SignUpForm.read(exchange.request)
    else {
      exchange.respond(problem)
      return
    }
    let texts = Texts.preferred(by: exchange.request)
    let message = texts.translation(of: problem).detail
    respond(problem, message, form, in: texts, to: exchange)
  }

  private func respond(
    _ problem: ProblemDetails,
    _ message: String,
    _ form: SignUpForm,
    in texts: Texts,
    to exchange: Exchange
  ) {
    if exchange.request.prefersHTML {
      exchange.respond(pages.signUp.rejection(problem, message, of: form, in: texts))
    } else {
      exchange.respond(problem)
    }
  }
}
