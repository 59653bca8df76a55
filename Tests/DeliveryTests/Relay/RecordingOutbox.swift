import Locks
import MailingList
import Signals
import TestSupport

/// An outbox in memory that records its transactions.
final class RecordingOutbox: Outbox {
  let base = InMemoryOutbox()
  private let recorded = Lock<[String]>([])

  /// The transactions, such as `settle 1, claim 2`.
  var transactions: [String] { recorded.withLock { $0 } }

  var changes: Signal<Void, Never> { base.changes }

  func claim(_ claim: MailClaim) -> Signal<MailBatch, StoreError> {
    .deferred {
      self.recorded.withLock { $0.append("claim \(claim.limit)") }
      return self.base.claim(claim)
    }
  }

  func settle(
    _ settlements: [MailSettlement],
    claiming claim: MailClaim?
  ) -> Signal<MailBatch, StoreError> {
    .deferred {
      let next = claim.map { ", claim \($0.limit)" } ?? ""
      self.recorded.withLock { $0.append("settle \(settlements.count)\(next)") }
      return self.base.settle(settlements, claiming: claim)
    }
  }

  func backlog() -> Signal<OutboxBacklog, StoreError> { base.backlog() }
}
