package import MailingList
package import Signals

/// The outbox in the file of a subscriber store.
///
/// The store's writer claims and settles in the transactions of sign-ups, after them.
package final class SQLiteOutbox: Outbox {
  private let access: SQLiteAccess
  private let relayLock: RelayLock?
  private let mails: Subject<Void, Never>

  init(_ access: SQLiteAccess, relayLock: RelayLock?, mails: Subject<Void, Never>) {
    self.access = access
    self.relayLock = relayLock
    self.mails = mails
  }

  /// Sends after each transaction that has queued a mail or its substitute row.
  package var changes: Signal<Void, Never> { mails.signal }

  /// Claims mails, unless another process has the lock of the database's relay.
  ///
  /// The first claim makes mails due that an earlier process had claimed.
  package func claim(_ claim: MailClaim) -> Signal<MailBatch, StoreError> {
    settle([], claiming: claim)
  }

  /// Settles mails, then claims the next ones; a `claim` of `nil` claims none.
  package func settle(
    _ settlements: [MailSettlement], claiming claim: MailClaim?
  ) -> Signal<MailBatch, StoreError> {
    access.queue.change { (writer) throws(StoreError) in
      try writer.list.settle(settlements)
      return try writer.claim(claim)
    }
  }

  /// Counts the queued mails; does not wait for the writer.
  package func backlog() -> Signal<OutboxBacklog, StoreError> {
    access.read { [relayLock] (list) throws(StoreError) in
      try list.backlog(isServedElsewhere: relayLock?.isElsewhere ?? false)
    }
  }
}
