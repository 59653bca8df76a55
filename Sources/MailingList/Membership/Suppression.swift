/// The reason why a subscriber is not mailed; the raw value is the stored one.
///
/// A stronger reason has a greater raw value.
package enum Suppression: Int64, Hashable, Sendable, CaseIterable {
  /// A relay rejected the mailbox twice; ends when the owner confirms.
  case hardBounce = 1
  /// The person reported a mail as spam.
  case complaint = 2
  /// The operator suppressed the address.
  case `operator` = 3
  /// The person objected to any further mail.
  case objected = 4

  /// The name in settings and exports.
  package var name: String {
    switch self {
    case .hardBounce: "hard_bounce"
    case .complaint: "complaint"
    case .operator: "operator"
    case .objected: "objected"
    }
  }

  /// Whether a confirmation by the owner ends the suppression.
  package var endsWithConfirmation: Bool {
    switch self {
    case .hardBounce: true
    case .complaint, .operator, .objected: false
    }
  }
}
