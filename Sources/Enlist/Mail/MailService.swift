internal import Delivery
internal import Locks
internal import Logging
internal import MailingList
internal import Monitoring
internal import Secrets
internal import Signals

/// The delivery of mail while the service runs: a mailer, and the relay of the store's outbox.
final class MailService: Sendable {
  private let relay: OutboxRelay
  private let mailer: any Mailer
  private let log: MailLog
  private let metrics: MailMetrics
  private let paused = Lock(false)
  private let draining = ReplaySubject<Duration, Never>(capacity: 1)
  private let ended = ReplaySubject<Never, Never>()
  private let subscription = SerialDisposable()

  init(
    _ delivery: MailDelivery,
    _ mailer: any Mailer,
    _ outbox: any Outbox,
    _ keys: MailKeys,
    metrics: MetricRegistry?,
    database: String,
    logger: Logger
  ) {
    self.metrics = MailMetrics(metrics)
    let scheduler = QueueScheduler(label: "enlist.mail")
    self.mailer = mailer
    log = MailLog(logger, of: delivery.metadata, database: database, on: scheduler)
    relay = OutboxRelay(
      outbox: outbox,
      mailer: mailer,
      content: OutboxRelay.Content(MailComposer(delivery.wordings, keys)),
      options: delivery.options,
      on: scheduler
    )
  }

  /// Whether mail waits until the relay is available again.
  var isPaused: Bool { paused.withLock { $0 } }

  /// Starts the delivery of mail; call this once.
  func start() {
    subscription.replace(
      with: relay.run(until: draining.signal).subscribe(
        // The subscription retains the service until the relay ends.
        next: { event in self.receive(event) },
        completed: { self.ended.complete() }
      )
    )
  }

  private func receive(_ event: OutboxRelayEvent) {
    switch event {
    case .paused: paused.withLock { $0 = true }
    case .resumed: paused.withLock { $0 = false }
    case .sent, .failed, .expired, .dropped, .withheld, .damaged, .storeFailed: break
    }
    metrics.count(event)
    log.log(event)
  }

  /// Stops claiming mails; claimed ones that are not delivered within a time are released.
  func drain(within time: Duration) {
    draining.send(time)
  }

  /// Completes when the results of all mails are stored, after ``drain(within:)``.
  var end: Signal<Never, Never> { ended.signal }

  /// Ends the remaining deliveries, and closes the connections to the relay; completes when none
  /// remains.
  func close() -> Signal<Never, Never> {
    subscription.dispose()
    return mailer.close()
  }
}
