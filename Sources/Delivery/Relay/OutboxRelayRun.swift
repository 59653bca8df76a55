internal import Signals
internal import MailingList

/// One run of an outbox relay, which feeds the state and performs its effects.
///
/// Inputs and effects run on the relay's scheduler, so they never overlap. Only a change of the
/// outbox is recorded on the thread that makes it.
final class OutboxRelayRun: Sendable {
  /// The longest wait until a mail is due, in case the system clock is set.
  private static let longestWait = Duration.seconds(60)

  /// Stops the run when disposed.
  let subscriptions = CompositeDisposable()

  private let relay: OutboxRelay
  private let observer: Observer<OutboxRelayEvent, Never>
  private let state: Lock<OutboxRelayState>
  private let deliveries = CompositeDisposable()
  /// The running transaction, otherwise the last one.
  private let transaction = SerialDisposable()
  private let dueTimer = SerialDisposable()
  private let pauseTimer = SerialDisposable()
  private let storeTimer = SerialDisposable()
  private let heldTimer = SerialDisposable()

  init(_ relay: OutboxRelay, _ observer: Observer<OutboxRelayEvent, Never>) {
    self.relay = relay
    self.observer = observer
    state = Lock(
      OutboxRelayState(
        connectionCount: relay.options.connectionCount, policy: relay.options.policy,
        random: relay.options.jitter))
    subscriptions.add(deliveries)
    for disposable in [transaction, dueTimer, pauseTimer, storeTimer, heldTimer] {
      subscriptions.add(disposable)
    }
  }

  /// Starts the run; when it must end, `draining` sends the time limit for running deliveries.
  func start(until draining: Signal<Duration, Never>) {
    let scheduler = relay.scheduler
    draining.take(1).deliver(on: scheduler)
      .subscribe(next: { time in
        self.input { $0.drain() }
        self.schedule(after: time) { $0.drainTimeEnded(at: self.now) }.store(in: self.subscriptions)
      })
      .store(in: subscriptions)
    // Without the filter, each commit of sign-ups would wake the scheduler's thread.
    relay.outbox.changes.filter { self.state.withLock { $0.recordChange() } }
      .deliver(on: scheduler)
      .subscribe(next: { self.input { $0.outboxChanged() } })
      .store(in: subscriptions)
    // Claim the mails that have waited since the last run.
    schedule(after: .zero) { $0.mailsMayBeDue() }.store(in: subscriptions)
  }

  private var now: Timestamp { relay.options.now() }

  private func schedule(
    after delay: Duration,
    _ change: @escaping @Sendable (inout OutboxRelayState) -> [OutboxRelayState.Effect]
  ) -> any Disposable {
    relay.scheduler.schedule(after: delay) { self.input(change) }
  }

  private func input(_ change: (inout OutboxRelayState) -> [OutboxRelayState.Effect]) {
    if subscriptions.isDisposed { return }
    let effects = state.withLock { change(&$0) }
    for effect in effects {
      if subscriptions.isDisposed { return }
      perform(effect)
    }
  }

  private func perform(_ effect: OutboxRelayState.Effect) {
    switch effect {
    case .transact(let transaction): transact(transaction)
    case .deliver(let mail): deliver(mail)
    case .wait(let time):
      let delay = min(now.duration(to: time), Self.longestWait)
      dueTimer.replace(with: schedule(after: delay) { $0.mailsMayBeDue() })
    case .examineHeld(let delay):
      heldTimer.replace(with: schedule(after: delay) { $0.heldMailsMayHaveRoom() })
    case .pause(let duration):
      pauseTimer.replace(with: schedule(after: duration) { $0.relayPauseEnded() })
    case .pauseStore(let duration):
      storeTimer.replace(with: schedule(after: duration) { $0.storePauseEnded() })
    case .send(let event): observer.send(event)
    case .cancel: deliveries.dispose()
    case .complete: observer.complete()
    }
  }

  private func transact(_ begun: OutboxRelayState.Transaction) {
    let claim = MailClaim(
      limit: begun.limit, triedLimit: begun.triedLimit, now: now, lease: relay.options.lease,
      budgets: relay.options.budgets, examinesHeld: begun.examinesHeld,
      credentials: relay.content.credentials)
    let batch =
      begun.settlements.isEmpty
      ? relay.outbox.claim(claim)
      : relay.outbox.settle(begun.settlements, claiming: begun.limit > 0 ? claim : nil)
    transaction.replace(
      with: batch.deliver(on: relay.scheduler)
        .subscribe(
          next: { batch in self.input { $0.transacted(batch, at: self.now) } },
          failed: { error in self.input { $0.transactionFailed(error) } })
    )
  }

  private func deliver(_ mail: ClaimedMail) {
    let message: MailMessage
    do throws(HeaderFieldError) {
      message = try relay.content.message(mail, now)
    } catch {
      // The checks at startup rule this out. If it happens anyway, the mail is not lost: a restart
      // with other settings may deliver it.
      let failure = DeliveryError.notAccepted(DeliveryFailure(step: .text))
      _ = schedule(after: .zero) { $0.delivered(mail, failure, at: self.now) }
      return
    }
    let subscription = SerialDisposable()
    deliveries.add(subscription)
    let end: @Sendable (DeliveryError?) -> Void = { error in
      self.deliveries.remove(subscription)
      self.input { $0.delivered(mail, error, at: self.now) }
    }
    subscription.replace(
      with: relay.mailer.deliver(mail, message)
        .deliver(on: relay.scheduler)
        .subscribe(failed: { end($0) }, completed: { end(nil) })
    )
  }
}

extension Timestamp {
  /// Returns the time until another timestamp; negative if the other is earlier.
  fileprivate func duration(to other: Timestamp) -> Duration {
    let (difference, overflow) = other.millisecondsSince1970
      .subtractingReportingOverflow(millisecondsSince1970)
    return overflow ? .zero : .milliseconds(difference)
  }
}
