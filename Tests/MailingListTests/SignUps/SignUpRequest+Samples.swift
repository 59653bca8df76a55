import EmailAddresses
import MailingList
import TestSupport

extension Result where Success == EmailAddress, Failure == EmailAddressError {
  /// Validates typed text.
  static func typed(_ text: String) -> Self {
    Result { () throws(EmailAddressError) in try EmailAddress(validating: text) }
  }
}

extension SignUpRequest {
  /// Creates a request with a new id.
  static func sample(_ email: String = "ada@example.org") -> SignUpRequest {
    var generator = RandomNumbers()
    let time = Timestamp(millisecondsSince1970: 1_800_000_000_000)
    let id = ExecutionID(at: time, using: &generator)
    let address = Result<EmailAddress, EmailAddressError>.typed(email)
    return SignUpRequest(
      id: id, signUp: address.map { SignUp(id: id, address: $0, time: time, consent: Consent()) })
  }
}
