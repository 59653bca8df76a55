/// A claimed mail and its outcome.
package struct MailSettlement: Sendable {
  package let mail: ClaimedMail
  package let outcome: DeliveryOutcome
  /// The time at which the outcome became known.
  package let time: Timestamp

  package init(_ mail: ClaimedMail, _ outcome: DeliveryOutcome, at time: Timestamp) {
    self.mail = mail
    self.outcome = outcome
    self.time = time
  }
}
