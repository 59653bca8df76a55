package import EmailAddresses

/// A valid request to join the list, as a store adds it.
///
/// A class: passing it copies one reference instead of a dozen strings.
package final class SignUp: Sendable {
  package let id: ExecutionID
  package let address: EmailAddress
  package let time: Timestamp
  package let consent: Consent
  /// The keyed hashes of the address; required by double opt-in, `nil` in a service without mail.
  package let hashes: AddressHashes?

  package init(
    id: ExecutionID, address: EmailAddress, time: Timestamp, consent: Consent,
    hashes: AddressHashes? = nil
  ) {
    self.id = id
    self.address = address
    self.time = time
    self.consent = consent
    self.hashes = hashes
  }
}

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

/// The reason why a sign-up failed or was rejected.
package enum SignUpError: Error, Hashable, Sendable {
  /// The address is invalid.
  case invalidAddress(EmailAddressError)
  /// An execution for this address is in flight.
  case executing
  /// The service is draining and accepts no sign-ups.
  case draining
  /// The domain does not accept mail; reported only if the service checks deliverability.
  case undeliverable(Deliverability.Reason)
  /// The store failed to add the sign-up.
  case store(StoreError)
}

extension SignUpError {
  /// Converts an error of the store.
  ///
  /// ``StoreError/executing`` becomes the command's own error, because the execution is one of
  /// another service on the same list.
  init(_ error: StoreError) {
    switch error {
    case .executing: self = .executing
    case .full, .locked, .readOnly, .damaged, .replaced, .overloaded, .closed, .unreachable,
      .incompatible, .undetermined, .failed, .rejected:
      self = .store(error)
    }
  }
}

/// The evidence of a person's consent; each part is stored only if the client sent it.
///
/// A class: passing it copies one reference instead of eight strings.
package final class Consent: Sendable {
  /// The text that the person agreed to, or its id.
  package let text: String?
  /// The page with the form (`Referer`): its scheme, host and path.
  package let sourceURL: String?
  /// The origin of the page with the form (`Origin`).
  package let origin: String?
  /// The client's address, to the extent that the operator's settings allow.
  package let clientAddress: String?
  /// The client's program (`User-Agent`).
  package let userAgent: String?
  /// The requested language (BCP 47).
  package let locale: String?
  /// The page to which the form redirects after a confirmation, if that is allowed.
  package let next: String?
  /// The owner's fields, a JSON object whose values are strings.
  package let fields: String?

  /// Creates a consent; omitted parts are unknown.
  package init(
    text: String? = nil, sourceURL: String? = nil, origin: String? = nil,
    clientAddress: String? = nil, userAgent: String? = nil, locale: String? = nil,
    next: String? = nil, fields: String? = nil
  ) {
    self.text = text
    self.sourceURL = sourceURL
    self.origin = origin
    self.clientAddress = clientAddress
    self.userAgent = userAgent
    self.locale = locale
    self.next = next
    self.fields = fields
  }
}
