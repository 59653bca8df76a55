package import Signals

/// The waiting mails, stored with the sign-ups that cause them.
///
/// Every store's outbox passes the same conformance suite. All functions may be called from any
/// thread, and none of them blocks; signals send on a thread that the store chooses.
///
/// A mail is in the outbox from the moment its sign-up is durable until it is settled permanently,
/// so no mail is lost. A claim leases it: if its process ends, the mail is due again when the lease
/// ends, with the same id, and thus the same links and code.
package protocol Outbox: Sendable {
  /// Sends when mails may have become due, for example after sign-ups have been stored.
  ///
  /// The signal is hot, completes when the store closes, and never fails. Several changes may be
  /// sent as one.
  var changes: Signal<Void, Never> { get }

  /// Claims mails that are due, the longest due first, followed by those that were tried before.
  ///
  /// In one transaction it decides about each mail with ``MailGrant``, deletes the mails that are
  /// dropped or withheld, sets those aside that are held, charges the mailboxes and budgets of those
  /// that are granted for the first time, stores the credentials of the granted mails, and leases
  /// them. A mail that cannot be read is deleted and counted, so that it does not keep others
  /// waiting.
  ///
  /// The signal is cold: each subscription claims once, and disposing of it does not undo the
  /// claim. It sends one batch and completes, or fails if nothing was claimed.
  func claim(_ claim: MailClaim) -> Signal<MailBatch, StoreError>

  /// Settles claimed mails, then claims the next ones, in one transaction; without a claim, it only
  /// settles.
  ///
  /// A settlement is ignored if the mail is no longer leased by its claim: the lease has ended and
  /// another claim has it, or an erasure has deleted it.
  ///
  /// The signal is cold: each subscription settles once. It sends one batch and completes, or fails
  /// if nothing was settled.
  func settle(
    _ settlements: [MailSettlement], claiming claim: MailClaim?
  ) -> Signal<MailBatch, StoreError>

  /// Reads the number of waiting mails.
  ///
  /// The signal is cold; it sends one value and completes, or fails if the store cannot be read.
  func backlog() -> Signal<OutboxBacklog, StoreError>
}
