package import MailingList
package import Signals

/// The outbox of a list that other services may share.
package final class ListOutbox: Outbox {
  private let access: any ListAccess
  private let mails: Subject<Void, Never>

  /// - Parameter mails: Sends after each transaction that has queued a mail or its substitute row.
  package init(_ access: any ListAccess, mails: Subject<Void, Never>) {
    self.access = access
    self.mails = mails
  }

  package var changes: Signal<Void, Never> { mails.signal }

  package func claim(_ claim: MailClaim) -> Signal<MailBatch, StoreError> {
    settle([], claiming: claim)
  }

  /// Settles mails, then claims the next ones; if it fails, mails may have been settled, which does
  /// no harm to repeat.
  package func settle(
    _ settlements: [MailSettlement], claiming claim: MailClaim?
  ) -> Signal<MailBatch, StoreError> {
    access.change { (list) throws(StoreError) in
      try list.settle(settlements)
      if let claim { return try list.claim(claim, isShared: true) }
      return MailBatch(mails: [], dropped: 0, withheld: 0, nextDueAt: try list.nextDueAt())
    }
  }

  package func backlog() -> Signal<OutboxBacklog, StoreError> {
    access.read { (list) throws(StoreError) in try list.backlog(isServedElsewhere: false) }
  }
}
