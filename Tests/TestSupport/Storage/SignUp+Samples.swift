package import MailingList

extension EmailAddress {
  /// An address that a test writes down.
  ///
  /// - Parameter text: A valid address.
  /// - Returns: The address.
  /// - Throws: `EmailAddressError` when the test is wrong.
  package static func sample(_ text: String) throws(EmailAddressError) -> EmailAddress {
    try EmailAddress(validating: text)
  }
}

extension SignUp {
  /// A sign-up with a new id.
  ///
  /// - Parameters:
  ///   - address: A valid address.
  ///   - milliseconds: When, in milliseconds since 1970.
  ///   - consent: What is known about the consent.
  /// - Returns: The sign-up.
  /// - Throws: `EmailAddressError` when the test is wrong.
  package static func sample(
    _ address: String = "ada@example.org",
    at milliseconds: Int64 = 1_800_000_000_000,
    consent: Consent = Consent()
  ) throws(EmailAddressError) -> SignUp {
    var generator = SystemRandomNumberGenerator()
    let time = Timestamp(millisecondsSince1970: milliseconds)
    return SignUp(
      id: ExecutionID(at: time, using: &generator),
      address: try EmailAddress(validating: address),
      time: time,
      consent: consent
    )
  }
}
