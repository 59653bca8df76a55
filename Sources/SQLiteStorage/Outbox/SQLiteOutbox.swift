package import MailingList
package import Signals

/// The outbox in the file of a subscriber store.
///
/// The store's writer claims and settles in the transactions of sign-ups, after them.
package final class SQLiteOutbox: Outbox {
  /// The pause before another attempt to take the lock from another process.
  static let lockInterval: Duration = .seconds(1)

  private let queue: WriterQueue
  private let reads: ConcurrentReads
  private let relayLock: RelayLock?
  private let mails: Subject<Void, Never>

  init(
    queue: WriterQueue,
    reads: ConcurrentReads,
    relayLock: RelayLock?,
    mails: Subject<Void, Never>
  ) {
    self.queue = queue
    self.reads = reads
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
    _ settlements: [MailSettlement],
    claiming claim: MailClaim?
  ) -> Signal<MailBatch, StoreError> {
    queue.change { (writer) throws(StoreError) in
      for settlement in settlements { try writer.settle(settlement) }
      return try writer.claim(claim)
    }
  }

  /// Counts the queued mails; does not wait for the writer.
  package func backlog() -> Signal<OutboxBacklog, StoreError> {
    reads.read { [relayLock] db in
      try Queries.backlog(isServedElsewhere: relayLock?.isElsewhere ?? false, in: db)
    }
  }
}
