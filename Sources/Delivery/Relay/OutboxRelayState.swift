internal import EmailAddresses
internal import MailingList
internal import Signals

/// The decisions of an outbox relay: each input changes the state and returns effects.
///
/// At most one transaction runs at a time. Results that arrive meanwhile are settled together in
/// the next one, which also claims up to one mail per free connection.
struct OutboxRelayState {
  /// An action that the run must perform.
  enum Effect {
    /// Settle mails and claim others in one transaction.
    case transact(Transaction)
    case deliver(ClaimedMail)
    /// Report when a mail is due; replaces the previous time.
    case wait(until: Timestamp)
    /// Report when held mails may have room; replaces the previous time.
    case examineHeld(after: Duration)
    /// Report the end of the relay's pause; replaces the previous pause.
    case pause(Duration)
    /// Report the end of the store's pause.
    case pauseStore(Duration)
    case send(OutboxRelayEvent)
    /// End all deliveries without a result.
    case cancel
    /// Complete the signal; no effect follows.
    case complete
  }

  /// Mails to settle, and the numbers of those to claim.
  struct Transaction {
    let settlements: [MailSettlement]
    let limit: Int
    /// The maximum number of the claimed mails that were tried before.
    let triedLimit: Int
    let examinesHeld: Bool
  }

  /// The pause after which held mails are examined again: budgets move with time.
  private static let heldInterval = Duration.seconds(60)
  /// The pause after a change, which may be a confirmation.
  private static let heldPause = Duration.seconds(1)
  /// The wait if mails are due but none could be claimed.
  private static let claimInterval = Duration.seconds(1)

  private let connectionCount: Int
  private let policy: RetryPolicy
  private let random: @Sendable () -> Double

  private var delivering: [MailID: ClaimedMail] = [:]
  private var unsettled: [MailSettlement] = []
  /// The settlements of the running transaction, which are repeated if it fails.
  private var settling: [MailSettlement] = []
  private var limit = 0
  private var isTransacting = false
  private var mayBeDue = true

  private var hasHeld = false
  private var examinesHeld = false
  /// The pause before held mails are examined, if it has begun.
  private var heldPause: Duration?
  private var load = 0

  private var relay = RelayHealth()
  private var storePause = GrowingPause.relay
  private var isStorePaused = false
  private var hasReportedStore = false
  private var isDraining = false
  private var isDrainTimeOver = false
  private var isComplete = false

  /// Creates the state of a relay before its first claim; `random` returns the jitter, 0 to 1.
  init(connectionCount: Int, policy: RetryPolicy, random: @escaping @Sendable () -> Double) {
    self.connectionCount = max(connectionCount, 1)
    self.policy = policy
    self.random = random
  }

  /// Records a change of the outbox, and returns whether ``mailsMayBeDue()`` must follow.
  ///
  /// It need not follow if mails may already be due: a claim then comes at the latest after the
  /// transaction, the delivery or the pause that currently prevents it.
  mutating func recordChange() -> Bool {
    defer { mayBeDue = true }
    return !mayBeDue
  }

  // MARK: Inputs

  /// Handles mails that may be due: after a change, at the next due time, or at startup.
  mutating func mailsMayBeDue() -> [Effect] {
    mayBeDue = true
    return proceed()
  }

  /// Handles a change of the outbox.
  mutating func outboxChanged() -> [Effect] {
    guard hasHeld, heldPause != Self.heldPause else { return mailsMayBeDue() }
    heldPause = Self.heldPause
    return [.examineHeld(after: Self.heldPause)] + mailsMayBeDue()
  }

  /// Handles held mails that may have room: after a change, and once a minute.
  mutating func heldMailsMayHaveRoom() -> [Effect] {
    examinesHeld = true
    heldPause = nil
    return mailsMayBeDue()
  }

  /// Handles the end of the relay's pause.
  mutating func relayPauseEnded() -> [Effect] {
    relay.pauseEnded()
    mayBeDue = true
    return proceed()
  }

  /// Handles the end of the store's pause.
  mutating func storePauseEnded() -> [Effect] {
    isStorePaused = false
    return proceed()
  }

  /// Handles the result of a transaction.
  mutating func transacted(_ batch: MailBatch, at now: Timestamp) -> [Effect] {
    isTransacting = false
    settling = []
    hasReportedStore = false
    storePause.reset()
    var effects: [Effect] = []
    if batch.dropped > 0 { effects.append(.send(.dropped(batch.dropped))) }
    if batch.withheld > 0 { effects.append(.send(.withheld(batch.withheld))) }
    if batch.held > 0 { effects.append(.send(.held(batch.held))) }
    if batch.expired > 0 { effects.append(.send(.heldTooLong(batch.expired))) }
    let hadHeld = hasHeld
    hasHeld = batch.hasHeld
    if hasHeld, heldPause == nil {
      // Confirmations before the first held mail was known have requested no examination.
      let pause = hadHeld ? Self.heldInterval : Self.heldPause
      heldPause = pause
      effects.append(.examineHeld(after: pause))
    }
    if batch.mayReleaseMore {
      examinesHeld = true
      mayBeDue = true
    }
    if let load = batch.load, load != self.load {
      self.load = load
      effects.append(.send(.load(load)))
    }
    if batch.raisesAlarm { effects.append(.send(.budgetSpent)) }
    if batch.damaged > 0 { effects.append(.send(.damaged(batch.damaged))) }
    for mail in batch.mails {
      if delivering[mail.id] != nil {
        // The lease ended during the delivery, whose result will settle the new claim.
        delivering[mail.id] = mail
      } else if isDraining || relay.state == .paused {
        settle(mail, .unsent(at: now), at: now)
      } else if policy.isExpired(mail, at: now) {
        settle(mail, .expired, at: now)
        effects.append(.send(.expired(mail.kind)))
      } else {
        delivering[mail.id] = mail
        effects.append(.deliver(mail))
      }
    }
    if let due = batch.nextDueAt {
      let done = batch.dropped + batch.withheld + batch.held + batch.damaged
      let hasDone = batch.mails.count + done > 0 || batch.mayReleaseMore
      if due > now {
        effects.append(.wait(until: due))
      } else if limit == 0 || hasDone {
        mayBeDue = true
      } else {
        effects.append(.wait(until: now.adding(Self.claimInterval)))
      }
    }
    return effects + proceed()
  }

  /// Handles the failure of a transaction, which changed nothing.
  mutating func transactionFailed(_ error: StoreError) -> [Effect] {
    isTransacting = false
    unsettled = settling + unsettled
    settling = []
    mayBeDue = true
    guard error != .closed, !isDrainTimeOver else {
      isComplete = true
      return [.cancel, .complete]
    }
    isStorePaused = true
    let pause = Effect.pauseStore(storePause.next(jitter: (1 + random()) / 2))
    defer { hasReportedStore = true }
    return hasReportedStore ? [pause] : [.send(.storeFailed(error)), pause]
  }

  /// Handles the end of a delivery; `error` is `nil` if the mail was accepted.
  mutating func delivered(
    _ mail: ClaimedMail, _ error: DeliveryError?, at now: Timestamp
  ) -> [Effect] {
    // Ignore the result of a canceled delivery.
    guard let mail = delivering.removeValue(forKey: mail.id) else { return [] }
    let domain = mail.recipient.asciiDomain
    guard var error else {
      relay.accepted(mailTo: domain, at: now)
      settle(mail, .sent, at: now)
      return [.send(.sent(mail.kind))] + relayReplied() + proceed()
    }
    if case .unclear(let failure) = error {
      error = relay.relays(to: domain, at: now) ? .rejected(failure) : .notAccepted(failure)
    }
    var effects: [Effect] = []
    switch error {
    case .relayUnavailable:
      settle(mail, .unsent(at: now), at: now)
      return Self.begin(relay.failed(jitter: random()), error) + proceed()
    case .rejected:
      settle(mail, .rejected, at: now)
      effects = relayReplied()
    case .undeliverableHere:
      settle(mail, .undeliverable, at: now)
      effects = relayReplied()
    case .deferred(let failure) where !failure.deniesService:
      effects = tryLater(mail, error, at: now) + relayReplied()
    case .deferred, .unclear, .notAccepted, .unknown:
      effects = tryLater(mail, error, at: now)
      let (isBack, pause) = relay.failed(for: domain, jitter: random())
      if isBack { mayBeDue = true }
      effects += isBack ? [.send(.resumed)] : Self.begin(pause, error)
    }
    effects.insert(.send(.failed(mail.kind, error)), at: 0)
    return effects + proceed()
  }

  /// Stops claiming mails; running deliveries may end.
  mutating func drain() -> [Effect] {
    isDraining = true
    return proceed()
  }

  /// Cancels running deliveries and releases their mails, because the time to drain is over.
  mutating func drainTimeEnded(at now: Timestamp) -> [Effect] {
    for mail in delivering.values { settle(mail, .released(at: now), at: now) }
    delivering = [:]
    isDrainTimeOver = true
    // Settle one last time, even if the store is paused.
    isStorePaused = false
    return [.cancel] + proceed()
  }

  // MARK: Decisions

  /// Begins the next transaction if there are mails to settle or claim, or completes if drained.
  private mutating func proceed() -> [Effect] {
    guard !isTransacting, !isStorePaused, !isComplete else { return [] }
    let (free, freeForTried) = freeCounts
    guard !unsettled.isEmpty || (mayBeDue && free > 0) else {
      guard isDraining, delivering.isEmpty else { return [] }
      isComplete = true
      return [.complete]
    }
    limit = free
    if free > 0 { mayBeDue = false }
    settling = unsettled
    unsettled = []
    isTransacting = true
    defer { if limit > 0 { examinesHeld = false } }
    return [
      .transact(
        Transaction(
          settlements: settling, limit: limit, triedLimit: freeForTried, examinesHeld: examinesHeld)
      )
    ]
  }

  /// The number of mails that may be claimed now, and the number of them that may have been tried
  /// before.
  ///
  /// A mail that failed before may again occupy its connection until a timeout, so such mails never
  /// occupy the last connection, unless there is only one.
  private var freeCounts: (all: Int, tried: Int) {
    let tried = delivering.values.count { $0.attempts > 0 }
    let all: Int
    switch relay.state {
    case _ where isDraining: all = 0
    case .available: all = connectionCount - delivering.count
    case .paused: all = 0
    case .probing:
      // The delivery of a mail that was tried before does not prevent a probe with another mail.
      all = delivering.count == tried && delivering.count < connectionCount ? 1 : 0
    }
    let maximumTried = relay.state == .probing ? 1 : max(connectionCount - 1, 1)
    return (all, min(all, max(maximumTried - tried, 0)))
  }

  private mutating func settle(_ mail: ClaimedMail, _ outcome: DeliveryOutcome, at now: Timestamp) {
    unsettled.append(MailSettlement(mail, outcome, at: now))
  }

  private mutating func tryLater(
    _ mail: ClaimedMail, _ error: DeliveryError, at now: Timestamp
  ) -> [Effect] {
    guard let next = policy.nextAttempt(of: mail, at: now, jitter: random()) else {
      settle(mail, .expired, at: now)
      return [.send(.expired(mail.kind))]
    }
    settle(mail, .later(at: next, error: error.description), at: now)
    return []
  }

  private mutating func relayReplied() -> [Effect] {
    guard relay.replied() else { return [] }
    mayBeDue = true
    return [.send(.resumed)]
  }

  private static func begin(_ pause: RelayHealth.Pause?, _ error: DeliveryError) -> [Effect] {
    guard let pause else { return [] }
    return (pause.isFirst ? [.send(.paused(error))] : []) + [.pause(pause.duration)]
  }
}
