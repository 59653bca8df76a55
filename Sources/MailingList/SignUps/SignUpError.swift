/// Why a person was not put on the list.
package enum SignUpError: Error, Hashable, Sendable {
  /// The address is not valid.
  case invalidAddress(EmailAddressError)
  /// An execution for this address is in flight.
  case executing
  /// The service takes no sign-ups at the moment.
  case draining
  /// Its domain takes no mail; asked only where the service checks that.
  case undeliverable(Deliverability.Reason)
  /// The store did not store it.
  case store(StoreError)
}
