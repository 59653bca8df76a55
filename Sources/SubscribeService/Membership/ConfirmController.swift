internal import HTTPSignals
internal import HTTPTypes
internal import MailingList
internal import Security

/// The handlers of `/confirm/{token}`: a page that changes nothing, the confirmation, a new link.
struct ConfirmController: Sendable {
  let links: LinkResponses
  let origins: OriginPolicy
  let watch: ConfirmationWatch
  /// Limits sign-ups, and requests for a new link as well.
  let limiter: ClientRateLimiter

  /// Shows the page with one button.
  @Sendable
  func show(_ routed: RoutedExchange) {
    let exchange = routed.exchange
    let page = links.pages.confirm
    links.look(routed, for: .confirm) { status, token, texts in
      switch status {
      case .unknown: nil
      case .usable: page.question(in: texts)
      case .done: page.already(in: texts)
      case .gone: expired(token, to: exchange.request)
      }
    }
  }

  /// Confirms; the request can be repeated.
  @Sendable
  func confirm(_ routed: RoutedExchange) {
    let request = routed.exchange.request
    let page = links.pages.confirm
    links.change(
      routed, by: { [store = links.store] token, request in store.confirm(token.hash, request) }
    ) { result, token, time, texts in
      switch result {
      case .confirmed(let subscriber):
        watch.confirmed(subscriber.id, at: time)
        return subscribed(subscriber, to: request) { page.done(in: texts) }
      case .already(let subscriber):
        return subscribed(subscriber, to: request) { page.already(in: texts) }
      case .gone: return expired(token, to: request)
      case .unknown: return nil
      }
    }
  }

  /// Requests a new link; the response does not reveal whether a mail follows.
  @Sendable
  func renew(_ routed: RoutedExchange) {
    // Check the rate before the link, so the response does not depend on it.
    guard links.permits(routed.exchange, limiter) else { return }
    let prefersHTML = routed.exchange.request.prefersHTML
    let page = links.pages.confirm
    links.change(
      routed, by: { [store = links.store] token, request in store.renew(token.hash, request) }
    ) { result, _, _, texts in
      switch result {
      case .accepted: prefersHTML ? page.renewed(in: texts) : .message(texts[.confirmRenewed])
      case .unknown: nil
      }
    }
  }

  /// Creates the response to a confirmation: a state for programs; for browsers the page in the
  /// sign-up, if it is still allowed, otherwise a page of the service.
  private func subscribed(
    _ subscriber: ConfirmedSubscriber, to request: Request, _ page: () -> Response
  ) -> Response {
    guard request.prefersHTML else { return .state("subscribed") }
    guard let next = subscriber.next, origins.permitsRedirect(to: next) else { return page() }
    var response = Response(status: .seeOther)
    response.fields[.location] = next
    response.fields[.cacheControl] = "no-store"
    response.fields[.referrerPolicy] = "no-referrer"
    return response
  }

  private func expired(_ token: MailToken, to request: Request) -> Response {
    guard request.prefersHTML else {
      return links.pages.response(for: .tokenExpired, to: request, as: .secret)
    }
    links.pages.metrics.count(.tokenExpired)
    return links.pages.confirm.expired(
      renewingAt: "/confirm/\(token.text)/mail", in: links.pages.texts.preferred(by: request))
  }
}

extension Response {
  /// Creates a response with a message for the user of a program.
  fileprivate static func message(_ message: String) -> Response {
    var json = JSONText()
    json.object { $0.member("message", message) }
    return .json(.ok, json)
  }
}
