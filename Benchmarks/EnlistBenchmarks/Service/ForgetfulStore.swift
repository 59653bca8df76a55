internal import EmailAddresses
internal import MailingList
internal import Signals

/// A store that reports success immediately and stores nothing, to measure everything but the disk.
struct ForgetfulStore: SubscriberStore {
  func add(_ signUp: SignUp) -> Signal<Never, StoreError> { .empty }

  func hasStored(_ id: ExecutionID) -> Signal<Bool, StoreError> { .just(false) }

  var outbox: any Outbox { ForgetfulOutbox() }

  func membership(of id: ExecutionID) -> Signal<ExecutionMembership?, StoreError> { .just(nil) }

  func lookUp(
    _ token: [UInt8], for purpose: LinkPurpose, at time: Timestamp
  ) -> Signal<LinkStatus, StoreError> { .just(.unknown) }

  func confirm(
    _ token: [UInt8], _ request: MembershipRequest
  ) -> Signal<ConfirmationResult, StoreError> { .just(.unknown) }

  func confirm(
    code isCode: @escaping @Sendable (_ hash: [UInt8], _ subscriber: Int64) -> Bool,
    of id: ExecutionID, _ request: MembershipRequest
  ) -> Signal<CodeResult, StoreError> { .just(.unknown) }

  func leave(
    _ proof: LeaveProof, by means: ConsentMeans, _ request: MembershipRequest
  ) -> Signal<LeaveResult, StoreError> { .just(.unknown) }

  func renew(_ token: [UInt8], _ request: MembershipRequest) -> Signal<RenewalResult, StoreError> {
    .just(.unknown)
  }

  func suppress(
    _ address: EmailAddress, _ reason: Suppression, by actor: EventActor, at time: Timestamp
  ) -> Signal<SuppressionResult, StoreError> { .just(.unlisted) }

  func probe() -> Signal<Never, StoreError> { .empty }

  func close() -> Signal<Never, Never> { .empty }

  func subscribers(after id: Int64?, limit: Int) -> Signal<[Subscriber], StoreError> { .just([]) }
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
