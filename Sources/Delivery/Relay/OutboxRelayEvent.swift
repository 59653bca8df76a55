package import MailingList

/// What an outbox relay reports, for logs and counters; it contains no address.
package enum OutboxRelayEvent: Hashable, Sendable {
  /// The relay accepted a mail.
  case sent(MailKind)
  /// The relay did not accept a mail, for a reason that is the mail's own.
  case failed(MailKind, DeliveryError)
  /// A mail was tried for too long, and was deleted.
  case expired(MailKind)
  /// Mails were deleted because they were not wanted any more.
  case dropped(Int)
  /// Mails were deleted because the budget of their mailbox was spent.
  case withheld(Int)
  /// Mails were deleted because the store cannot read them.
  case damaged(Int)
  /// The relay is unavailable; sent once, however long that lasts.
  case paused(DeliveryError)
  /// The relay is available again.
  case resumed
  /// The store failed, and is asked again later; sent once until it succeeds.
  case storeFailed(StoreError)
}
