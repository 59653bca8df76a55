/// What has become of a claimed mail.
package enum DeliveryOutcome: Hashable, Sendable {
  /// The relay accepted it: it is deleted, and rejections before it no longer count.
  case sent
  /// The mailbox does not exist or accepts no mail: the mail is deleted, and the rejection counts. The
  /// mailbox gets back what the mail charged, unless the address is suppressed.
  case rejected
  /// The relay cannot deliver to such an address: the mail is deleted.
  case undeliverable
  /// It could not be delivered for too long: it is deleted.
  case expired
  /// The attempt counts, and the mail is due again at a time; with a description of the error.
  case later(at: Timestamp, error: String)
  /// The attempt does not count, and the mail is due again at a time; it may have been sent.
  case released(at: Timestamp)
  /// The mail was not sent, and is due again at a time as if it had not been claimed: the mailbox
  /// gets back what the first grant charged.
  case unsent(at: Timestamp)
}
