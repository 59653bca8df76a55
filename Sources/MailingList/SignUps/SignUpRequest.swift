package import EmailAddresses

/// A request to join the list, with its validated or invalid address: the input of a
/// ``SubscribeCommand``.
///
/// A class: a closure that captures it keeps one reference instead of a dozen strings.
package final class SignUpRequest: Sendable {
  /// The public id of the execution, if it is accepted.
  package let id: ExecutionID
  /// The typed text.
  package let email: String
  /// The sign-up to store, or the reason the typed text is not a valid address.
  package let signUp: Result<SignUp, EmailAddressError>

  /// Creates a request and validates its address.
  ///
  /// - Parameters:
  ///   - id: The public id of the execution.
  ///   - email: The typed text.
  ///   - level: How strictly the text is validated.
  ///   - time: The time at which the request arrived.
  ///   - consent: The text that the person agreed to, and where the request came from.
  package init(
    id: ExecutionID,
    email: String,
    level: EmailLevel = .form,
    time: Timestamp,
    consent: Consent
  ) {
    self.id = id
    self.email = email
    do throws(EmailAddressError) {
      let address = try EmailAddress(validating: email, level: level)
      signUp = .success(SignUp(id: id, address: address, time: time, consent: consent))
    } catch {
      signUp = .failure(error)
    }
  }
}
