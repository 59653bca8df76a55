package import EmailAddresses
package import MailingList

/// A mail that a test puts into an outbox, with the subscriber whom it goes to.
package struct WaitingMail: Sendable {
  /// The id of the mail.
  package let id: MailID
  /// What the mail is for.
  package let kind: MailKind
  /// The stored address.
  package let recipient: EmailAddress
  /// The id of the consent that caused the mail.
  package let consentID: ExecutionID
  /// The language of the sign-up.
  package let locale: String?
  /// The time of the sign-up, at which the mail is due.
  package let createdAt: Timestamp
  /// The subscriber's membership.
  package let membership: Membership

  /// The sign-up that caused the mail.
  package var signUp: SignUp {
    SignUp(id: consentID, address: recipient, time: createdAt, consent: Consent(locale: locale))
  }

  /// Makes a mail with new ids.
  ///
  /// - Parameters:
  ///   - kind: What the mail is for.
  ///   - address: A valid address.
  ///   - milliseconds: The time of the sign-up, in milliseconds since 1970.
  ///   - locale: The language of the sign-up.
  ///   - membership: The subscriber's membership; `nil` is that which gets such a mail.
  /// - Returns: The mail.
  package static func sample(
    _ kind: MailKind = .confirm, to address: String = "ada@example.org",
    at milliseconds: Int64 = 1_800_000_000_000, locale: String? = nil, membership: Membership? = nil
  ) throws(EmailAddressError) -> WaitingMail {
    var generator = RandomNumbers()
    let time = Timestamp(millisecondsSince1970: milliseconds)
    let state: Subscriber.State =
      switch kind {
      case .confirm: .pending
      case .already: .subscribed
      }
    return WaitingMail(
      id: MailID(at: time, using: &generator), kind: kind,
      recipient: try EmailAddress(validating: address),
      consentID: ExecutionID(at: time, using: &generator), locale: locale, createdAt: time,
      membership: membership ?? Membership(state: state))
  }
}
