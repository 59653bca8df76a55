package import EmailAddresses

/// A mail that an outbox has granted and leased to one relay connection.
///
/// A class: passing it copies one reference instead of a dozen fields.
package final class ClaimedMail: Sendable {
  /// Links, code and Message-ID are derived from the id.
  package let id: MailID
  package let kind: MailKind
  package let subscriberID: Int64
  /// The consent of the sign-up that caused the mail.
  package let consentID: ExecutionID
  /// The stored address, never one typed later.
  package let recipient: EmailAddress
  /// The language of the sign-up that caused the mail (BCP 47), if any.
  package let locale: String?
  /// The time of that sign-up.
  package let createdAt: Timestamp
  /// The time of the first grant, for which the mailbox was charged.
  package let grantedAt: Timestamp
  /// Whether this claim was the first grant.
  package let isFirstGrant: Bool
  /// The number of counted attempts before this one.
  package let attempts: Int
  /// The end of the lease: after it, the mail is due again for any relay.
  package let leasedUntil: Timestamp

  package init(
    id: MailID, kind: MailKind, subscriberID: Int64, consentID: ExecutionID,
    recipient: EmailAddress, locale: String?, createdAt: Timestamp, grantedAt: Timestamp,
    isFirstGrant: Bool, attempts: Int, leasedUntil: Timestamp
  ) {
    self.id = id
    self.kind = kind
    self.subscriberID = subscriberID
    self.consentID = consentID
    self.recipient = recipient
    self.locale = locale
    self.createdAt = createdAt
    self.grantedAt = grantedAt
    self.isFirstGrant = isFirstGrant
    self.attempts = attempts
    self.leasedUntil = leasedUntil
  }
}
