/// The reason a mail was not accepted, which decides whether the mail is tried again.
///
/// It never contains the relay's text, which repeats addresses, so it can be logged and stored.
/// The outbox relay also pauses if several domains in a row cause ``unclear(_:)``,
/// ``notAccepted(_:)`` or ``unknown(_:)``.
package enum DeliveryError: Error, Hashable, Sendable {
  /// No mail can be delivered at present; the attempt does not count, and the outbox relay pauses.
  case relayUnavailable(DeliveryFailure)
  /// The recipient's mailbox does not exist or accepts no mail; the mail is not tried again.
  case rejected(DeliveryFailure)
  /// The relay rejected the recipient without a reason: because of the mailbox, or because it does
  /// not relay for this service. The outbox relay, which knows what else was accepted, decides.
  case unclear(DeliveryFailure)
  /// The relay rejected this mail, possibly because of its configuration; the mail is tried again.
  case notAccepted(DeliveryFailure)
  /// The relay requested another attempt; the mail is tried again.
  case deferred(DeliveryFailure)
  /// The result is unknown, and the relay may have accepted the mail; the mail is tried again.
  case unknown(DeliveryFailure)
  /// The relay does not take such addresses: it does not offer SMTPUTF8 (RFC 6531), or its grammar
  /// is stricter than RFC 5321. That says nothing of the mailbox; the mail is not tried again.
  case undeliverableHere(DeliveryFailure)

  /// The step that failed, and the relay's status.
  package var failure: DeliveryFailure {
    switch self {
    case .relayUnavailable(let failure), .rejected(let failure), .unclear(let failure),
      .notAccepted(let failure), .deferred(let failure), .unknown(let failure),
      .undeliverableHere(let failure):
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
      case .unclear, .notAccepted: "not accepted"
      case .deferred: "deferred"
      case .unknown: "unknown"
      case .undeliverableHere: "undeliverable here"
      }
    return "\(result) at \(failure)"
  }
}
