internal import HTTPSignals

/// The handler of `GET /status`: streams the status messages of all executions, anonymized.
struct StatusController: Sendable {
  let log: StatusLog
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
    exchange.respond(log.stream(from: StreamCursor(of: exchange.request)).response)
  }
}
