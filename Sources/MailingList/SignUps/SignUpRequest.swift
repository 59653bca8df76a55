/// What a person asks for: the input of a ``SubscribeCommand``.
///
/// An object, because many closures hold it: one reference instead of a dozen strings.
package final class SignUpRequest: Sendable {
  /// The public id of the execution, if it is accepted.
  package let id: ExecutionID
  /// What was typed.
  package let email: String
  /// What is to be stored, if what was typed is an address; or why it is none.
  package let signUp: Result<SignUp, EmailAddressError>

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - id: The public id of the execution.
  ///   - email: What was typed.
  ///   - level: How strictly it is validated.
  ///   - time: When it came in.
  ///   - consent: To what the person agreed, and from where.
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
