package import MailingList
package import Signals

/// The outbox of a list that replicas share: each claims mails that no other has leased.
///
/// A claim takes two statements instead of one transaction, so that no lock of the server waits for
/// the program: one leases mails, the other one stores the decisions about them. A replica that ends
/// between the two loses its leases after their time.
///
/// All times are those of the replicas' clocks, not of the server's: what is decided about a mail
/// compares them with the times of its sign-up and of its retries, which the program determines, and
/// the end of a lease identifies the claim. The difference between two clocks must be less than what
/// a lease is longer than the delivery of a mail.
package final class PostgreSQLOutbox: Outbox {
  private let queue: WriterQueue
  private let reads: ReaderQueue
  private let mails: Subject<Void, Never>

  /// Creates the outbox of a store.
  init(queue: WriterQueue, reads: ReaderQueue, mails: Subject<Void, Never>) {
    self.queue = queue
    self.reads = reads
    self.mails = mails
  }

  /// Sends after this replica has queued a mail.
  package var changes: Signal<Void, Never> { mails.signal }

  /// Claims mails.
  package func claim(_ claim: MailClaim) -> Signal<MailBatch, StoreError> {
    settle([], claiming: claim)
  }

  /// Settles mails, then claims the next ones; if it fails, mails may have been settled, which does
  /// no harm to repeat.
  ///
  /// - Parameter claim: How many mails to claim next, if any.
  package func settle(
    _ settlements: [MailSettlement],
    claiming claim: MailClaim?
  ) -> Signal<MailBatch, StoreError> {
    queue.change { (writer) throws(PostgreSQLError) in
      try writer.settle(settlements, claiming: claim)
    }
  }

  /// Reads how many mails wait; does not wait for the writer.
  package func backlog() -> Signal<OutboxBacklog, StoreError> {
    reads.read { (session) throws(PostgreSQLError) in try Queries.backlog(in: session) }
  }
}
