package import EmailAddresses

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
