internal import MailingList
internal import Security
internal import Signals

/// A store that reports success immediately and stores nothing, to measure everything but the disk.
struct ForgetfulStore: ListStore {
  /// What becomes of each sign-up.
  var stored: Signal<Never, StoreError> = .empty
  var outbox: any Outbox { ForgetfulOutbox() }
  var keyring: Keyring { Keyring(Secret()) }
  var queuedSignUps: Int { 0 }
  var logBytes: Int? { nil }

  func add(_ signUp: SignUp) -> Signal<Never, StoreError> { stored }

  func hasStored(_ id: ExecutionID) -> Signal<Bool, StoreError> { .just(false) }

  // There is no list that could be read.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (ListReader) throws(StoreError) -> Value
  ) -> Signal<Value, StoreError> { .fail(.closed) }

  func change<Value: Sendable>(
    _ body: @escaping @Sendable (ListWriter) throws(StoreError) -> Value
  ) -> Signal<Value, StoreError> { .fail(.closed) }

  func probe() -> Signal<Never, StoreError> { .empty }

  func finish(within time: Duration) -> Signal<Never, Never> { .empty }

  func close() -> Signal<Never, Never> { .empty }
}

/// An outbox that stays empty.
private struct ForgetfulOutbox: Outbox {
  var changes: Signal<Void, Never> { .never }

  func claim(_ claim: MailClaim) -> Signal<MailBatch, StoreError> { settle([], claiming: claim) }

  func settle(
    _ settlements: [MailSettlement], claiming claim: MailClaim?
  ) -> Signal<MailBatch, StoreError> {
    .just(MailBatch(mails: [], dropped: 0, withheld: 0, nextDueAt: nil))
  }

  func backlog() -> Signal<OutboxBacklog, StoreError> {
    .just(OutboxBacklog(waiting: 0, oldest: nil, isServedElsewhere: false))
  }
}
