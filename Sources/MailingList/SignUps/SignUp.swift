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
