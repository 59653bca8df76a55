package import Signals

/// The mails that wait, stored with the sign-ups that cause them.
///
/// Every store's outbox passes the same conformance suite. All functions may be called from any
/// thread, and none of them blocks; signals send on a thread that the store chooses.
///
/// A mail is in the outbox as soon as its sign-up is durable, and until it is settled for good, so
/// no mail is lost. A claim leases it: if its process dies, the mail is due again when the lease
/// ends, with the same id, and thus the same links and code.
package protocol Outbox: Sendable {
  /// Sends when mails may have become due, such as after sign-ups have been stored.
  ///
  /// The signal is hot, completes when the store closes, and never fails. Several changes may be
  /// sent as one.
  var changes: Signal<Void, Never> { get }

  /// Claims mails that are due, the longest due first; those that were tried before follow the others.
  ///
  /// In one transaction it decides about each mail with ``MailGrant``, deletes what is dropped or
  /// withheld, charges the mailbox of what is granted for the first time, stores the credentials of
  /// what is granted, and leases it. A mail that cannot be read is deleted and counted, so that it
  /// does not keep others waiting.
  ///
  /// The signal is cold: each subscription claims once, and disposing it does not undo the claim.
  ///
  /// - Returns: A signal that sends one batch and completes, or fails when nothing was claimed.
  func claim(_ claim: MailClaim) -> Signal<MailBatch, StoreError>

  /// Settles claimed mails, then claims the next ones, in one transaction.
  ///
  /// A settlement is ignored when the mail is no longer leased by its claim: the lease has ended
  /// and another claim has it, or an erasure has deleted it.
  ///
  /// The signal is cold: each subscription settles once.
  ///
  /// - Parameter claim: How many mails to claim next; `nil` claims none.
  /// - Returns: A signal that sends one batch and completes, or fails when nothing was settled.
  func settle(
    _ settlements: [MailSettlement],
    claiming claim: MailClaim?
  ) -> Signal<MailBatch, StoreError>

  /// Reads how many mails wait.
  ///
  /// - Returns: A cold signal that sends one value and completes, or fails when the store cannot be
  ///   read.
  func backlog() -> Signal<OutboxBacklog, StoreError>
}
