internal import Delivery
internal import Logging
internal import MailingList
internal import Platform
internal import OperatorService
internal import Security
internal import Signals

/// The delivery of events to webhooks while the service runs.
final class WebhookService: Sendable {
  private let relay: WebhookRelay
  private let client: WebhookClient
  private let metrics: WebhookMetrics
  private let logger: Logger
  private let draining = ReplaySubject<Duration, Never>(capacity: 1)
  private let ended = ReplaySubject<Never, Never>()
  private let subscription = SerialDisposable()

  init(
    _ client: WebhookClient, _ store: any WebhookStore, _ keyring: Keyring,
    metrics: MetricRegistry?, logger: Logger
  ) {
    self.client = client
    self.metrics = WebhookMetrics(metrics)
    self.logger = logger
    relay = WebhookRelay(
      store: store, sender: client, secrets: WebhookSecrets(keyring), body: WebhookBody.bytes,
      on: QueueScheduler(label: "enlist.webhooks"))
  }

  /// Starts sending; call this once.
  func start() {
    subscription.replace(
      with: relay.run(until: draining.signal).subscribe(
        // The subscription retains the service until the relay ends.
        next: { event in self.receive(event) },
        completed: { self.ended.complete() }
      )
    )
  }

  private func receive(_ event: WebhookRelayEvent) {
    metrics.count(event)
    switch event {
    case .attempted, .lags: break
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

  /// Sends no more events; the running requests may end within a time.
  func drain(within time: Duration) {
    draining.send(time)
  }

  /// Completes when the results of all requests are stored, after ``drain(within:)``.
  var end: Signal<Never, Never> { ended.signal }

  /// Ends the remaining requests.
  func close() {
    subscription.dispose()
    client.close()
  }
}
