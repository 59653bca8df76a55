/// A message of the status line, with the text of the original app.
package enum StatusMessage: String, Hashable, Sendable {
  /// An execution was accepted.
  case started = "Sending request..."
  /// The sign-up is stored.
  case completed = "Thanks"
  /// The sign-up was not stored; "Thanks" does not follow.
  case failed = "Error :("

  /// The machine-readable state of the execution after this message.
  package var state: String {
    switch self {
    case .started: "executing"
    case .completed: "completed"
    case .failed: "failed"
    }
  }
}
