import EmailAddresses
import Locks
import ListStorage
import MailingList
import Signals

@testable import SQLiteStorage

/// A SQLite store whose results arrive on the thread that asks for them, before it continues.
///
/// It records which of its functions were called.
final class BlockingStore: SubscriberStore {
  let base: SQLiteSubscriberStore
  private let recorded = Lock<[String]>([])

  init(_ base: SQLiteSubscriberStore) {
    self.base = base
  }

  /// Returns the names of the functions that were called since the last time.
  func takeCalls() -> [String] {
    recorded.withLock { calls in
      defer { calls = [] }
      return calls
    }
  }

  private func wait<Value, Failure>(
    _ signal: Signal<Value, Failure>,
    _ name: String = #function
  ) -> Signal<Value, Failure> {
    recorded.withLock { $0.append(name) }
    return signal.blocking()
  }

  var outbox: any Outbox { BlockingOutbox(base.outbox) }

  func add(_ signUp: SignUp) -> Signal<Never, StoreError> { wait(base.add(signUp)) }

  func hasStored(_ id: ExecutionID) -> Signal<Bool, StoreError> { wait(base.hasStored(id)) }

  func membership(of id: ExecutionID) -> Signal<ExecutionMembership?, StoreError> {
    wait(base.membership(of: id))
  }

  func lookUp(
    _ token: [UInt8],
    for purpose: LinkPurpose,
    at time: Timestamp
  ) -> Signal<LinkStatus, StoreError> {
    wait(base.lookUp(token, for: purpose, at: time))
  }

  func confirm(
    _ token: [UInt8],
    _ request: MembershipRequest
  ) -> Signal<ConfirmationResult, StoreError> {
    wait(base.confirm(token, request))
  }

  func confirm(
    code isCode: @escaping @Sendable (_ hash: [UInt8], _ subscriber: Int64) -> Bool,
    of id: ExecutionID,
    _ request: MembershipRequest
  ) -> Signal<CodeResult, StoreError> {
    wait(base.confirm(code: isCode, of: id, request))
  }

  func leave(
    _ proof: LeaveProof,
    by means: ConsentMeans,
    _ request: MembershipRequest
  ) -> Signal<LeaveResult, StoreError> {
    wait(base.leave(proof, by: means, request))
  }

  func renew(
    _ token: [UInt8],
    _ request: MembershipRequest
  ) -> Signal<RenewalResult, StoreError> {
    wait(base.renew(token, request))
  }

  func suppress(
    _ address: EmailAddress,
    _ reason: Suppression,
    by actor: EventActor,
    at time: Timestamp
  ) -> Signal<SuppressionResult, StoreError> {
    wait(base.suppress(address, reason, by: actor, at: time))
  }

  func subscribers(after id: Int64?, limit: Int) -> Signal<[Subscriber], StoreError> {
    wait(base.subscribers(after: id, limit: limit))
  }

  func probe() -> Signal<Never, StoreError> { wait(base.probe()) }

  func close() -> Signal<Never, Never> { wait(base.close()) }
}

/// An outbox whose results arrive on the thread that asks for them.
struct BlockingOutbox: Outbox {
  private let base: any Outbox

  init(_ base: any Outbox) {
    self.base = base
  }

  var changes: Signal<Void, Never> { base.changes }

  func claim(_ claim: MailClaim) -> Signal<MailBatch, StoreError> { base.claim(claim).blocking() }

  func settle(
    _ settlements: [MailSettlement],
    claiming claim: MailClaim?
  ) -> Signal<MailBatch, StoreError> {
    base.settle(settlements, claiming: claim).blocking()
  }

  func backlog() -> Signal<OutboxBacklog, StoreError> { base.backlog().blocking() }
}
