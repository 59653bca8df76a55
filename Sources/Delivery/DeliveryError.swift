/// The reason a mail was not accepted, and with it what happens to the mail.
///
/// It never contains the relay's text, which repeats addresses, so it can be logged and stored.
package enum DeliveryError: Error, Hashable, Sendable {
  /// No mail can be delivered at present: the attempt does not count, and the relay pauses.
  case relayUnavailable(DeliveryFailure)
  /// The recipient's mailbox does not exist or accepts no mail: final.
  case rejected(DeliveryFailure)
  /// The relay does not accept this mail, for a reason that may be its configuration: later.
  case notAccepted(DeliveryFailure)
  /// The relay asked to try again: later.
  case deferred(DeliveryFailure)
  /// The mail may have been accepted; it is unknown: later, and the relay pauses.
  case unknown(DeliveryFailure)
  /// The address needs SMTPUTF8 (RFC 6531), which the relay does not offer: final.
  case undeliverableHere(DeliveryFailure)

  /// The step that failed, and the relay's status.
  package var failure: DeliveryFailure {
    switch self {
    case .relayUnavailable(let failure), .rejected(let failure), .notAccepted(let failure),
      .deferred(let failure), .unknown(let failure), .undeliverableHere(let failure):
      failure
    }
  }
}

extension DeliveryError: CustomStringConvertible {
  /// A short description for the operator, such as `rejected at RCPT: 550 5.1.1`.
  package var description: String {
    let result =
      switch self {
      case .relayUnavailable: "relay unavailable"
      case .rejected: "rejected"
      case .notAccepted: "not accepted"
      case .deferred: "deferred"
      case .unknown: "unknown"
      case .undeliverableHere: "undeliverable here"
      }
    return "\(result) at \(failure)"
  }
}
