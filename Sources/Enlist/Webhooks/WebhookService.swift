internal import Delivery
internal import Logging
internal import MailingList
internal import Services
internal import Platform
internal import Security
internal import Signals

/// The delivery of events to webhooks while the service runs, its log and its metrics.
final class WebhookService: Sendable {
  /// What is counted for each webhook, of which there are at most 20 at a time.
  private struct State {
    var lags: [String: Int64] = [:]
    var attempts: [String: CounterFamily<WebhookAttempt.Result>] = [:]
  }

  let relay: RunningRelay<WebhookRelayEvent>
  private let client: WebhookClient
  private let metrics: MetricRegistry
  private let logger: Logger
  private let state = Lock(State())

  init(
    _ client: WebhookClient, _ store: any ListStore, _ metrics: MetricRegistry, _ logger: Logger
  ) {
    (self.client, self.metrics, self.logger) = (client, metrics, logger)
    let relay = WebhookRelay(
      store: store, client: client, secrets: WebhookSecrets(store.keyring),
      body: { event, epoch in event.webhookBody(in: epoch) },
      on: QueueScheduler(label: "enlist.webhooks"))
    self.relay = RunningRelay(relay.run)
  }

  func start() { relay.start { self.receive($0) } }

  private func receive(_ event: WebhookRelayEvent) {
    switch event {
    case .attempted(let id, let result): state.withLock { $0.attempts[id] }?.count(result)
    case .lags(let lags):
      let new = state.withLock { state in
        state.lags = lags
        return lags.keys.filter { state.attempts[$0] == nil }
      }
      for id in new { addMetrics(of: id) }
    case .gaveUp(let id, let position):
      logger.error(
        "a webhook has not accepted an event in time, and will not get it",
        metadata: ["webhook": "\(id)", "position": "\(position)"])
    case .failing(let id):
      logger.warning(
        "a webhook accepts no events, only the oldest are tried; enlist webhooks show has the reason",
        metadata: ["webhook": "\(id)"])
    case .recovered(let id):
      logger.notice("a webhook accepts events again", metadata: ["webhook": "\(id)"])
    case .disabled(let id, let reason):
      logger.error(
        "a webhook is disabled; enlist webhooks enable goes on where it stopped",
        metadata: ["webhook": "\(id)", "reason": "\(reason.rawValue)"])
    case .storeFailed(let error):
      logger.warning("webhooks wait until the store works", metadata: ["error": "\(error)"])
    }
  }

  private func addMetrics(of id: String) {
    let label = MetricSample.Label("webhook", id)
    metrics.observe("enlist_webhook_lag_events", [label]) { [weak self] in
      self?.state.withLock { $0.lags[id] }.map(Double.init)
    }
    let attempts = CounterFamily<WebhookAttempt.Result>(
      "enlist_webhook_attempts_total", by: "result", with: [label], metrics)
    state.withLock { $0.attempts[id] = attempts }
  }

  func close() {
    relay.close()
    client.close()
  }
}

extension Settings {
  func webhookClient() throws(SettingError) -> WebhookClient {
    WebhookClient(webhookTargets, authorities: try webhookAuthorities())
  }

  var webhookTargets: WebhookTargets { WebhookTargets(networks: self.webhookNetworks) }

  func webhookAuthorities() throws(SettingError) -> [UInt8]? {
    try self.webhookCA.map { path throws(SettingError) in
      try SettingTable.all.webhookCA.authorities(in: path)
    }
  }
}
