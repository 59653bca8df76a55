package import EmailAddresses

/// A valid request to join the list, as a store keeps it.
///
/// A class: passing it copies one reference instead of a dozen strings.
package final class SignUp: Sendable {
  /// The public id of the execution.
  package let id: ExecutionID
  /// The address to add to the list.
  package let address: EmailAddress
  /// The time of the request.
  package let time: Timestamp
  /// The text that the person agreed to, and where the request came from.
  package let consent: Consent
  /// The keyed hashes of the address; `nil` in a service without mail.
  package let hashes: AddressHashes?

  /// Creates a sign-up.
  ///
  /// - Parameter hashes: The keyed hashes of the address; a store with double opt-in needs them.
  package init(
    id: ExecutionID,
    address: EmailAddress,
    time: Timestamp,
    consent: Consent,
    hashes: AddressHashes? = nil
  ) {
    self.id = id
    self.address = address
    self.time = time
    self.consent = consent
    self.hashes = hashes
  }
}
