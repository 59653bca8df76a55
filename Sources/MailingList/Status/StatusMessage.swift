/// What the status line says; the texts of the original app.
package enum StatusMessage: String, Hashable, Sendable {
  /// An execution was accepted.
  case started = "Sending request..."
  /// Its sign-up is stored.
  case completed = "Thanks"
  /// Its sign-up was not stored; "Thanks" does not follow.
  case failed = "Error :("

  /// The state of the execution after this message, for programs.
  package var state: String {
    switch self {
    case .started: "executing"
    case .completed: "completed"
    case .failed: "failed"
    }
  }
}
