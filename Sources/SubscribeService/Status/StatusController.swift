internal import HTTPSignals

/// The handler of `GET /status`: streams the status messages of all executions, anonymized.
struct StatusController: Sendable {
  let source: StatusSource
  let isPublic: Bool
  let streamRate: StreamRateGate
  let replayLimit: ReplayLimit

  @Sendable
  func stream(_ routed: RoutedExchange) {
    let exchange = routed.exchange
    guard isPublic else {
      exchange.respond(.streamDisabled)
      return
    }
    guard streamRate.admits(exchange) else { return }
    let request = exchange.request
    source.stream(from: StreamCursor(of: request), replayLimit.grant(for: request)) {
      exchange.respond($0.response)
    }
  }
}
