internal import Delivery
internal import Signals
internal import MailingList
internal import Platform

/// The metrics of webhooks, of which there are at most 20 at a time.
final class WebhookMetrics: Sendable {
  private struct State {
    var lags: [String: Int64] = [:]
    var attempts: [String: CounterFamily<WebhookAttempt.Result>] = [:]
  }

  private let registry: MetricRegistry?
  private let state = Lock(State())

  /// Without a registry, nothing is counted.
  init(_ registry: MetricRegistry?) {
    self.registry = registry
  }

  func count(_ event: WebhookRelayEvent) {
    guard let registry else { return }
    switch event {
    case .attempted(let id, let result):
      state.withLock { $0.attempts[id] }?.count(result)
    case .lags(let lags):
      let new = state.withLock { state in
        state.lags = lags
        return lags.keys.filter { state.attempts[$0] == nil }
      }
      for id in new { add(id, to: registry) }
    case .gaveUp, .failing, .recovered, .disabled, .storeFailed: break
    }
  }

  private func add(_ id: String, to registry: MetricRegistry) {
    let label = MetricSample.Label("webhook", id)
    registry.observe("enlist_webhook_lag_events", [label]) { [weak self] in
      self?.state.withLock { $0.lags[id] }.map(Double.init)
    }
    let counters = CounterFamily<WebhookAttempt.Result>(
      "enlist_webhook_attempts_total", by: "result", with: [label], registry)
    state.withLock { $0.attempts[id] = counters }
  }
}
