/// A claimed mail and what has become of it.
package struct MailSettlement: Sendable {
  /// The mail as it was claimed.
  package let mail: ClaimedMail
  /// What has become of it.
  package let outcome: DeliveryOutcome
  /// When that became known.
  package let time: Timestamp

  /// Creates a settlement.
  package init(_ mail: ClaimedMail, _ outcome: DeliveryOutcome, at time: Timestamp) {
    self.mail = mail
    self.outcome = outcome
    self.time = time
  }
}
