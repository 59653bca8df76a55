internal import EmailAddresses
internal import HTTPSignals
internal import HTTPTypes
internal import MailingList

/// The handler of `POST /email-checks`: the validity signal as a service.
///
/// The method is POST so that addresses do not appear in URLs.
final class EmailCheckController: Sendable {
  private let level: EmailLevel
  private let validate: @Sendable (String, EmailLevel) throws(EmailAddressError) -> EmailAddress
  private let origins: OriginPolicy
  private let limiter: ClientRateLimiter
  private let now: @Sendable () -> Timestamp
  private let texts: TextCatalog

  init(_ dependencies: Dependencies, origins: OriginPolicy) {
    level = dependencies.emailLevel
    validate = dependencies.validate
    self.origins = origins
    limiter = ClientRateLimiter(rate: dependencies.checkRate)
    now = dependencies.now
    texts = dependencies.responsePolicy.pages.texts
  }

  @Sendable
  func check(_ routed: RoutedExchange) {
    let exchange = routed.exchange
    guard origins.admits(exchange) else { return }
    let client = exchange.request.source.limitedClient
    if let seconds = limiter.secondsToWait(of: client, at: now()) {
      exchange.respond(.tooManyRequests(.emailCheck, secondsToWait: seconds))
      return
    }
    do throws(SignUpFormError) {
      let typed = try SignUpForm.email(of: exchange.request)
      respond(exchange, EmailCheck(typed, level: level, validating: validate))
    } catch {
      switch error {
      case .invalidAddress(let error): respond(exchange, EmailCheck(error))
      case .problem(let problem): exchange.respond(problem)
      }
    }
  }

  private func respond(_ exchange: Exchange, _ check: EmailCheck) {
    let texts = self.texts.preferred(by: exchange.request)
    var response = Response.json(.ok, check.json(in: texts))
    response.fields.append(.vary, "Accept-Language, Origin")
    exchange.respond(response)
  }
}
