internal import HTTPSignals

/// The handler of `GET /status`: streams the status messages of all executions, anonymized.
struct StatusController: Sendable {
  let source: StatusSource
  let isPublic: Bool
  let streamRate: StreamRateGate

  @Sendable
  func stream(_ routed: RoutedExchange) {
    let exchange = routed.exchange
    guard isPublic else {
      exchange.respond(.streamDisabled)
      return
    }
    guard streamRate.admits(exchange) else { return }
    source.stream(from: StreamCursor(of: exchange.request)) { exchange.respond($0.response) }
  }
}
