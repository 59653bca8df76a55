package import MailingList

/// An event of an outbox relay, for logs and counters; it contains no address.
package enum OutboxRelayEvent: Hashable, Sendable {
  /// The relay accepted a mail.
  case sent(MailKind)
  /// The relay did not accept a mail, for a reason specific to the mail.
  case failed(MailKind, DeliveryError)
  /// A mail was deleted because the time for attempts is over (``RetryPolicy/lifetime``).
  case expired(MailKind)
  /// Mails were deleted because they were no longer wanted.
  case dropped(Int)
  /// Mails were deleted because the budget of their mailbox was spent.
  case withheld(Int)
  /// Mails are held until a budget has room for them.
  case held(Int)
  /// Mails were deleted because they were held too long.
  case heldTooLong(Int)
  /// The used part of the budget of all mails has changed.
  case load(Int)
  /// The budget of all mails is spent, and the operator has not been told in the last six hours.
  case budgetSpent
  /// Mails were deleted because the store could not read them.
  case damaged(Int)
  /// The relay is unavailable; sent once per outage.
  case paused(DeliveryError)
  /// The relay is available again.
  case resumed
  /// A transaction of the store failed, and is repeated later; sent once until one succeeds.
  case storeFailed(StoreError)
}
