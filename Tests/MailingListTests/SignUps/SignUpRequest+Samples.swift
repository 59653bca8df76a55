import MailingList

extension SignUpRequest {
  /// Creates a request with a new id.
  static func sample(_ email: String = "ada@example.org") -> SignUpRequest {
    var generator = SystemRandomNumberGenerator()
    let time = Timestamp(millisecondsSince1970: 1_800_000_000_000)
    return SignUpRequest(
      id: ExecutionID(at: time, using: &generator),
      email: email,
      time: time,
      consent: Consent()
    )
  }
}
