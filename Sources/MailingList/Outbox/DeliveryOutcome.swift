/// The outcome of a claimed mail.
package enum DeliveryOutcome: Hashable, Sendable {
  /// The relay accepted the mail: it is deleted, and earlier rejections no longer count.
  case sent
  /// The mailbox does not exist or accepts no mail: the mail is deleted, and the rejection counts.
  ///
  /// The charge is returned to the mailbox, unless the address is suppressed.
  case rejected
  /// The relay cannot deliver to this address: the mail is deleted.
  case undeliverable
  /// The time for attempts is over: the mail is deleted.
  case expired
  /// The attempt counts, and the mail is due again at a time; `error` describes the failure.
  case later(at: Timestamp, error: String)
  /// The attempt does not count, and the mail is due again at a time; it may have been sent.
  case released(at: Timestamp)
  /// The mail was not sent, and is due again at a time as if it had not been claimed: the charge of
  /// its first grant is returned to the mailbox.
  case unsent(at: Timestamp)
}
