package import EmailAddresses

/// A request to join the list: the input of a ``SubscribeCommand``.
///
/// Its address has been validated once, when the request was created, and is not validated again.
package struct SignUpRequest: Sendable {
  /// The public id of the execution, if it is accepted.
  package let id: ExecutionID
  /// The sign-up to store, or the reason why the address is invalid.
  package let signUp: Result<SignUp, EmailAddressError>

  package init(id: ExecutionID, signUp: Result<SignUp, EmailAddressError>) {
    self.id = id
    self.signUp = signUp
  }

  /// The validated address, or the reason why it is invalid.
  package var email: Result<EmailAddress, EmailAddressError> { signUp.map { $0.address } }
}
