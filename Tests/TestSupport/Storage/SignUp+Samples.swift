package import EmailAddresses
package import MailingList

extension EmailAddress {
  /// Makes an address for a test.
  ///
  /// - Parameter text: A valid address.
  /// - Returns: The address.
  package static func sample(_ text: String) throws(EmailAddressError) -> EmailAddress {
    try EmailAddress(validating: text)
  }
}

extension SignUp {
  /// Makes a sign-up with a new id.
  ///
  /// - Parameters:
  ///   - address: A valid address.
  ///   - milliseconds: The time of the sign-up, in milliseconds since 1970; now by default.
  ///   - consent: The details of the consent.
  /// - Returns: The sign-up.
  package static func sample(
    _ address: String = "ada@example.org",
    at milliseconds: Int64 = Timestamp.now.millisecondsSince1970, consent: Consent = Consent()
  ) throws(EmailAddressError) -> SignUp {
    var generator = RandomNumbers()
    let time = Timestamp(millisecondsSince1970: milliseconds)
    return SignUp(
      id: ExecutionID(at: time, using: &generator), address: try EmailAddress(validating: address),
      time: time, consent: consent)
  }
}
