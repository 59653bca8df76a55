/// A request to be put on the list: what a `SubscribeCommand` is executed with and a store keeps.
///
/// An object, because it goes from hand to hand: one reference instead of a dozen strings.
package final class SignUp: Sendable {
  /// The public id of the execution.
  package let id: ExecutionID
  /// Who asks.
  package let address: EmailAddress
  /// When.
  package let time: Timestamp
  /// To what the person agreed, and from where.
  package let consent: Consent

  /// Makes a sign-up.
  ///
  /// - Parameters:
  ///   - id: The public id of the execution.
  ///   - address: Who asks.
  ///   - time: When.
  ///   - consent: To what the person agreed, and from where.
  package init(id: ExecutionID, address: EmailAddress, time: Timestamp, consent: Consent) {
    self.id = id
    self.address = address
    self.time = time
    self.consent = consent
  }
}

/// What a store says when a sign-up is durable.
package struct Receipt: Hashable, Sendable {
  /// The execution that was stored.
  package let id: ExecutionID

  /// Makes a receipt.
  ///
  /// - Parameter id: The execution that was stored.
  package init(id: ExecutionID) {
    self.id = id
  }
}
