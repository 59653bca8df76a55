internal import HTTPSignals
internal import MailingList

/// The handler of `GET /status`: streams the status messages of all executions, anonymized.
struct StatusController: Sendable {
  let source: StatusSource
  let isPublic: Bool
  let streamLimiter: ClientRateLimiter
  let replayLimit: ReplayLimit
  let now: @Sendable () -> Timestamp

  @Sendable
  func stream(_ routed: RoutedExchange) {
    let exchange = routed.exchange
    guard isPublic else {
      exchange.respond(.streamDisabled)
      return
    }
    guard streamLimiter.admitsStream(exchange, at: now()) else { return }
    let request = exchange.request
    source.stream(from: StreamCursor(of: request), replayLimit.grant(for: request)) {
      exchange.respond($0.response)
    }
  }
}
