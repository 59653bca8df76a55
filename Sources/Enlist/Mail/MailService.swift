internal import Delivery
internal import EmailAddresses
internal import Logging
internal import MailingList
internal import Platform
internal import Security
internal import Signals

/// The delivery of mail while the service runs, its log and its metrics.
///
/// The log has no address, no token and no text of the relay. Any client can cause mail by signing
/// addresses up, so further events of a kind are counted.
final class MailService: Sendable {
  private struct State {
    var isPaused = false
    /// The number of mails that count for the budget.
    var load = 0
    var isSpent = false
  }

  let relay: RunningRelay<OutboxRelayEvent>
  private let mailer: any Mailer
  private let composer: MailComposer
  private let delivery: MailDelivery
  private let budget: MailBudget?
  private let database: String
  private let logger: Logger
  private let log: CountedLog
  private let mails: CounterFamily<MailEvent.Result>
  private let state = Lock(State())

  init(
    _ delivery: MailDelivery, _ mailer: any Mailer, _ outbox: any Outbox, _ keys: MailKeys,
    _ metrics: MetricRegistry, _ database: String, _ logger: Logger
  ) {
    let scheduler = QueueScheduler(label: "enlist.mail")
    (self.delivery, self.mailer) = (delivery, mailer)
    (self.database, self.logger) = (database, logger)
    composer = MailComposer(delivery.wordings, keys)
    budget = delivery.options.budgets.all
    log = CountedLog(logger, on: scheduler)
    mails = CounterFamily("enlist_mails_total", by: "result", metrics)
    let relay = OutboxRelay(
      outbox: outbox, mailer: mailer, content: OutboxRelay.Content(composer),
      options: delivery.options, on: scheduler)
    self.relay = RunningRelay(relay.run)
  }

  var isPaused: Bool { state.withLock { $0.isPaused } }

  /// The used part of the budget of all mails, from 0; mails are held from 1 on.
  var strain: Double {
    budget.map { budget in Double(state.withLock { $0.load }) / Double(budget.count) } ?? 0
  }

  func start() { relay.start { self.receive($0) } }

  private func receive(_ event: OutboxRelayEvent) {
    if let mail = MailEvent(event) {
      mails.count(mail.result, times: Int64(mail.count))
      log.count(mail.subject, mail.level, mail.count, metadata: mail.error.map(Self.metadata))
      return
    }
    switch event {
    case .paused(let error):
      state.withLock { $0.isPaused = true }
      logger.error(
        "no mail is sent until the relay is available; test it with enlist send-test",
        metadata: Self.metadata(error).merging(delivery.metadata) { $1 })
    case .resumed:
      state.withLock { $0.isPaused = false }
      logger.notice("the relay is available, mail is sent again")
    case .load(let new): changeLoad(to: new)
    case .budgetSpent: sendAlarm()
    case .storeFailed(let error):
      logger.error(
        "no mail is sent until the store works",
        metadata: ["database": "\(database)", "error": "\(error)"])
    // These concern mails, or repeat what the relay's pause has said.
    case .sent, .failed, .expired, .dropped, .withheld, .held, .heldTooLong, .damaged: break
    }
  }

  private func changeLoad(to new: Int) {
    let changes = state.withLock { state in
      state.load = new
      guard let budget else { return false }
      // Each confirmation makes room for a few held mails only, which is not worth a line.
      let isNowSpent = new * 4 >= budget.count * (state.isSpent ? 3 : 4)
      defer { state.isSpent = isNowSpent }
      return state.isSpent != isNowSpent
    }
    guard changes, let budget else { return }
    if new >= budget.count {
      logger.error(
        "the mail budget is spent, mails are held until people confirm; enlist held shows them",
        metadata: ["budget": "\(budget.count)", "used": "\(new)"])
    } else {
      logger.notice("the mail budget has room again, held mails are sent")
    }
  }

  /// Tells the operator of a spent budget, in one attempt; the mail does not count for a budget.
  private func sendAlarm() {
    guard let recipient = delivery.alarmRecipient, let budget else { return }
    let now = Timestamp.now
    let mail = ClaimedMail(outsideOutboxTo: recipient, at: now)
    do throws(HeaderFieldError) {
      let text = budget.alarm
      let message = try composer.notice("Mail to new people waits", text, in: mail, at: now)
      mailer.deliver(mail, message).subscribe(failed: { [logger] error in
        logger.error("the mail to --alarm-to was not sent", metadata: ["error": "\(error)"])
      })
    } catch {
      logger.error("the mail to --alarm-to cannot be composed")
    }
  }

  /// Describes an error by its step and status, or by libcurl's cause.
  private static func metadata(_ error: DeliveryError) -> Logger.Metadata {
    var metadata: Logger.Metadata = ["error": "\(error)"]
    if let cause = error.failure.cause { metadata["cause"] = "\(cause)" }
    return metadata
  }

  /// Ends the remaining deliveries, and closes the connections to the relay.
  func close() -> Signal<Never, Never> {
    relay.close()
    return mailer.close()
  }
}

/// What the log and the metrics say about an event that concerns mails.
struct MailEvent {
  enum Result: String, CaseIterable {
    case sent, rejected, deferred, withheld, held, dropped, expired, damaged
  }

  let result: Result
  let level: Logger.Level
  let subject: String
  var count = 1
  var error: DeliveryError?
}

extension MailEvent {
  init?(_ event: OutboxRelayEvent) {
    func row(
      _ result: Result, _ level: Logger.Level, _ subject: String, _ count: Int = 1,
      _ error: DeliveryError? = nil
    ) -> MailEvent {
      MailEvent(result: result, level: level, subject: subject, count: count, error: error)
    }
    switch event {
    case .sent: self = row(.sent, .debug, "mails sent")
    case .failed(_, let error):
      switch error {
      case .relayUnavailable: return nil
      case .rejected: self = row(.rejected, .info, "mails rejected for their mailbox", 1, error)
      case .unclear, .notAccepted:
        self = row(
          .deferred, .error, "mails not accepted by the relay, they are tried again", 1, error)
      case .deferred:
        self = row(.deferred, .info, "mails deferred by the relay, they are tried again", 1, error)
      case .unknown:
        self = row(
          .deferred, .warning, "mails without a reply of the relay, they are tried again", 1, error)
      case .undeliverableHere:
        self = row(.rejected, .warning, "mails to addresses that the relay does not take", 1, error)
      }
    case .expired: self = row(.expired, .warning, "mails not sent within three days")
    case .dropped(let count):
      self = row(.dropped, .debug, "mails not sent because they were not wanted any more", count)
    case .withheld(let count):
      self = row(.withheld, .info, "mails not sent because of too many to the same mailbox", count)
    case .held(let count):
      self = row(
        .held, .warning, "mails held because a budget is spent; enlist held shows them", count)
    case .heldTooLong(let count):
      self = row(.expired, .warning, "mails deleted because they were held for a day", count)
    case .damaged(let count):
      self = row(.damaged, .error, "mails deleted because their rows are damaged", count)
    case .paused, .resumed, .load, .budgetSpent, .storeFailed: return nil
    }
  }
}

extension MailBudget {
  fileprivate var alarm: String {
    """
    In the last \(DurationText.text(of: period)), sign-ups caused \(count) mails that \
    nobody has confirmed. Either strangers are signed up, or many people are slow. Further \
    mails are held for up to a day, and leave as confirmations come in.

    enlist held             counts them by hour, network, origin and client program
    enlist held release     sends them, whatever the budget
    enlist held drop        deletes them; both take --since, --until, --network and --origin

    This mail comes at most once in six hours. Its recipient is --alarm-to, and the budget is
    --mail-budget.
    """
  }
}

extension ClaimedMail {
  /// Creates a mail that is in no outbox, with a new id.
  convenience init(outsideOutboxTo recipient: EmailAddress, at time: Timestamp) {
    var generator = SystemRandomNumberGenerator()
    self.init(
      id: MailID(at: time, using: &generator), kind: .confirm, subscriberID: 0,
      consentID: ExecutionID(at: time, using: &generator), recipient: recipient, locale: nil,
      createdAt: time, grantedAt: time, isFirstGrant: true, attempts: 0, leasedUntil: time)
  }
}
