import EmailAddresses
import MailingList
import TestSupport

extension ClaimedMail {
  /// Makes a mail with new ids.
  ///
  /// - Parameters:
  ///   - address: A valid address.
  ///   - createdAt: The time of the sign-up.
  ///   - attempts: The number of counted attempts.
  /// - Returns: The mail.
  static func random(
    to address: String = "ada@example.org",
    createdAt: Timestamp = Timestamp(millisecondsSince1970: 1_800_000_000_000), attempts: Int = 0
  ) throws(EmailAddressError) -> ClaimedMail {
    var generator = RandomNumbers()
    return ClaimedMail(
      id: MailID(at: createdAt, using: &generator), kind: .confirm, subscriberID: 1,
      consentID: ExecutionID(at: createdAt, using: &generator),
      recipient: try EmailAddress(validating: address), locale: nil, createdAt: createdAt,
      grantedAt: createdAt, isFirstGrant: true, attempts: attempts,
      leasedUntil: createdAt.adding(.seconds(180)))
  }
}
