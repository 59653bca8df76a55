internal import EmailAddresses
internal import HTTPSignals
internal import HTTPTypes
internal import MailingList
internal import Signals

/// The responses to a sign-up: JSON for programs; redirects and pages for forms.
final class SignUpResponses: Sendable {
  private let pages: Pages
  private let origins: OriginPolicy
  private let level: EmailLevel
  private let storage: StorageHealth

  init(pages: Pages, origins: OriginPolicy, level: EmailLevel, storage: StorageHealth) {
    self.pages = pages
    self.origins = origins
    self.level = level
    self.storage = storage
  }

  func respond(
    with end: End<SignUpError>, of request: SignUpRequest, from form: SignUpForm,
    to exchange: Exchange
  ) {
    switch end {
    case .completed:
      storage.succeeded()
      exchange.respond(accepted(request.id, form, to: exchange.request))
    case .failed(let error):
      if case .store(let error) = error { storage.failed(error) }
      reject(request, from: form, error, to: exchange)
    }
  }

  /// Creates the response to a stored sign-up, which is the same in every state of the list.
  private func accepted(_ id: ExecutionID, _ form: SignUpForm, to request: Request) -> Response {
    guard request.prefersHTML else { return .accepted(id, after: .completed) }
    var response = Response(status: .seeOther)
    let next = form.next.flatMap { origins.permitsRedirect(to: $0) ? $0 : nil }
    response.fields[.location] = next ?? "/thanks/\(id)"
    response.fields[.cacheControl] = "no-store"
    return response
  }

  /// Rejects a sign-up that was not stored, with a suggestion for a likely typo.
  private func reject(
    _ request: SignUpRequest, from form: SignUpForm, _ error: SignUpError, to exchange: Exchange
  ) {
    var problem = error.problem
    switch error {
    case .invalidAddress, .undeliverable:
      problem.suggestion = EmailSuggestion.forValidated(form.email, request.email, level: level)
    case .executing, .draining, .store: break
    }
    respond(problem, form, to: exchange)
  }

  /// Rejects a sign-up that exceeds the client's rate.
  ///
  /// The problem does not depend on the body; the page of a form still contains the typed text.
  func limited(secondsToWait: Int, to exchange: Exchange) {
    let problem = ProblemDetails.tooManyRequests(.signUp, secondsToWait: secondsToWait)
    guard exchange.request.prefersHTML,
      let form = try? SignUpForm(exchange.request, with: pages.frame.profile.fields)
    else {
      exchange.respond(problem)
      return
    }
    respond(problem, form, to: exchange)
  }

  private func respond(_ problem: ProblemDetails, _ form: SignUpForm, to exchange: Exchange) {
    if exchange.request.prefersHTML {
      let texts = pages.texts.preferred(by: exchange.request)
      // Of the others, the text is for programs.
      let message =
        problem.status == .serviceUnavailable
        ? texts[VisitorText.wait] : texts[problem.text]
      pages.metrics.count(problem)
      exchange.respond(pages.signUp.rejection(problem, message, of: form, in: texts))
    } else {
      exchange.respond(problem)
    }
  }
}
