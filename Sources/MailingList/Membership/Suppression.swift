/// The reason a subscriber is not mailed; the raw value is what stores keep, a stronger reason
/// having a greater one.
package enum Suppression: Int64, Hashable, Sendable, CaseIterable {
  /// A relay rejected the mailbox twice. Ends when the owner confirms.
  case hardBounce = 1
  /// The person reported a mail as spam.
  case complaint = 2
  /// The operator decided so.
  case `operator` = 3
  /// The person asked never to be mailed again.
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

  /// Whether the owner ends it by confirming.
  package var endsWithConfirmation: Bool {
    switch self {
    case .hardBounce: true
    case .complaint, .operator, .objected: false
    }
  }
}
