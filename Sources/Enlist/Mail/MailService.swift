internal import Delivery
internal import Signals
internal import Logging
internal import MailingList
internal import Platform
internal import Security

/// The delivery of mail while the service runs: a mailer, and the relay of the store's outbox.
final class MailService: Sendable {
  private let relay: OutboxRelay
  private let mailer: any Mailer
  private let log: MailLog
  private let metrics: MailMetrics
  private let composer: MailComposer
  private let alarm: OperatorAlarm?
  private let budget: MailBudget?
  private let logger: Logger
  private let paused = Lock(false)
  private let load = Lock(0)
  private let isSpent = Lock(false)
  private let draining = ReplaySubject<Duration, Never>(capacity: 1)
  private let ended = ReplaySubject<Never, Never>()
  private let subscription = SerialDisposable()

  init(
    _ delivery: MailDelivery, _ mailer: any Mailer, _ outbox: any Outbox, _ keys: MailKeys,
    metrics: MetricRegistry?, database: String, logger: Logger
  ) {
    self.metrics = MailMetrics(metrics)
    let scheduler = QueueScheduler(label: "enlist.mail")
    self.mailer = mailer
    composer = MailComposer(delivery.wordings, keys)
    alarm = delivery.alarm
    budget = delivery.options.budgets.all
    self.logger = logger
    log = MailLog(logger, of: delivery.metadata, database: database, on: scheduler)
    relay = OutboxRelay(
      outbox: outbox, mailer: mailer, content: OutboxRelay.Content(composer),
      options: delivery.options, on: scheduler)
  }

  /// Whether mail waits until the relay is available again.
  var isPaused: Bool { paused.withLock { $0 } }

  /// The used part of the budget of all mails, from 0; mails are held from 1 on.
  var strain: Double {
    budget.map { Double(load.withLock { $0 }) / Double($0.count) } ?? 0
  }

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
    case .load(let new): changeLoad(to: new)
    case .budgetSpent: alarm?.send(by: mailer, composer, logger)
    case .sent, .failed, .expired, .dropped, .withheld, .held, .heldTooLong, .damaged, .storeFailed:
      break
    }
    metrics.count(event)
    log.log(event)
  }

  private func changeLoad(to new: Int) {
    load.withLock { $0 = new }
    guard let budget else { return }
    let changes = isSpent.withLock { isSpent in
      // Each confirmation makes room for a few held mails only, which is not worth a line.
      let isNowSpent = new * 4 >= budget.count * (isSpent ? 3 : 4)
      defer { isSpent = isNowSpent }
      return isSpent != isNowSpent
    }
    guard changes else { return }
    if new >= budget.count {
      logger.error(
        "the mail budget is spent, mails are held until people confirm; enlist held shows them",
        metadata: ["budget": "\(budget.count)", "used": "\(new)"])
    } else {
      logger.notice("the mail budget has room again, held mails are sent")
    }
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
