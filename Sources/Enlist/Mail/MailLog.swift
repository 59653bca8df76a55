internal import Delivery
internal import Signals
internal import Logging
internal import Platform

/// The log of mail, which contains no address, no token and no text of the relay.
///
/// Any client can cause mail by signing addresses up, so the first event of a kind is logged
/// immediately, and further ones as one count per minute. A relay that becomes unavailable is
/// logged immediately, and again when it is available.
final class MailLog: Sendable {
  /// The kind of a counted event.
  enum Kind: CaseIterable {
    case sent
    case rejected
    case notAccepted
    case deferred
    case unknown
    case undeliverable
    case expired
    case dropped
    case withheld
    case held
    case heldTooLong
    case damaged
  }

  private let logger: Logger
  private let destination: Logger.Metadata
  private let database: String
  private let scheduler: any Scheduler
  private let windows = Lock(LogWindows())

  init(
    _ logger: Logger, of destination: Logger.Metadata, database: String, on scheduler: any Scheduler
  ) {
    self.logger = logger
    self.destination = destination
    self.database = database
    self.scheduler = scheduler
  }

  func log(_ event: OutboxRelayEvent) {
    switch event {
    case .sent: count(.sent)
    case .failed(_, let error):
      guard let kind = Kind(of: error) else { return }
      count(kind, error: error)
    case .expired: count(.expired)
    case .dropped(let number): count(.dropped, number)
    case .withheld(let number): count(.withheld, number)
    case .held(let number): count(.held, number)
    case .heldTooLong(let number): count(.heldTooLong, number)
    case .load, .budgetSpent: break
    case .damaged(let number): count(.damaged, number)
    case .paused(let error):
      logger.error(
        "no mail is sent until the relay is available; test it with enlist send-test",
        metadata: Self.metadata(error).merging(destination) { $1 })
    case .resumed: logger.notice("the relay is available, mail is sent again")
    case .storeFailed(let error):
      logger.error(
        "no mail is sent until the store works",
        metadata: ["database": "\(database)", "error": "\(error)"])
    }
  }

  private func count(_ kind: Kind, _ number: Int = 1, error: DeliveryError? = nil) {
    let now = scheduler.now
    let isFirst = windows.withLock { $0.count(kind.subject, kind.level, number, at: now) }
    guard isFirst else { return }
    logger.log(
      level: kind.level, "\(kind.subject): \(number), further ones are reported once a minute",
      metadata: error.map(Self.metadata))
    logSummaries(at: now + LogWindows.length)
  }

  /// Logs the counts of the windows that end then, and of those that follow them.
  private func logSummaries(at end: Duration) {
    // The scheduled work retains the log until its last window ends.
    _ = scheduler.schedule(after: LogWindows.length) {
      let summaries = self.windows.withLock { $0.takeSummaries(at: end) }
      for (subject, level, count) in summaries {
        self.logger.log(level: level, "\(subject): \(count) in the last minute")
      }
      if !summaries.isEmpty { self.logSummaries(at: end + LogWindows.length) }
    }
  }

  /// Describes an error by its step and status, or by libcurl's cause, but never by the relay's
  /// text.
  private static func metadata(_ error: DeliveryError) -> Logger.Metadata {
    var metadata: Logger.Metadata = ["error": "\(error)"]
    if let cause = error.failure.cause { metadata["cause"] = "\(cause)" }
    return metadata
  }
}

extension MailLog.Kind {
  /// The kind of a failed delivery; `nil` for one that does not concern the mail.
  fileprivate init?(of error: DeliveryError) {
    switch error {
    case .relayUnavailable: return nil
    case .rejected: self = .rejected
    case .unclear, .notAccepted: self = .notAccepted
    case .deferred: self = .deferred
    case .unknown: self = .unknown
    case .undeliverableHere: self = .undeliverable
    }
  }

  fileprivate var level: Logger.Level {
    switch self {
    case .sent, .dropped: .debug
    case .rejected, .deferred, .withheld: .info
    case .unknown, .undeliverable, .expired, .held, .heldTooLong: .warning
    case .notAccepted, .damaged: .error
    }
  }

  fileprivate var subject: String {
    switch self {
    case .sent: "mails sent"
    case .rejected: "mails rejected for their mailbox"
    case .notAccepted: "mails not accepted by the relay, they are tried again"
    case .deferred: "mails deferred by the relay, they are tried again"
    case .unknown: "mails without a reply of the relay, they are tried again"
    case .undeliverable: "mails to addresses that the relay does not take"
    case .expired: "mails not sent within three days"
    case .dropped: "mails not sent because they were not wanted any more"
    case .withheld: "mails not sent because of too many to the same mailbox"
    case .held: "mails held because a budget is spent; enlist held shows them"
    case .heldTooLong: "mails deleted because they were held for a day"
    case .damaged: "mails deleted because their rows are damaged"
    }
  }
}
