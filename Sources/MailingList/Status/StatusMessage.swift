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

/// A status message of one execution.
package struct StatusEvent: Hashable, Sendable {
  /// Whose it is; never shown on a public stream.
  package let execution: SignUpID
  /// What it says.
  package let message: StatusMessage
  /// When it was said.
  package let time: Timestamp

  /// Makes an event.
  ///
  /// - Parameters:
  ///   - execution: Whose it is.
  ///   - message: What it says.
  ///   - time: When it was said.
  package init(execution: SignUpID, message: StatusMessage, time: Timestamp) {
    self.execution = execution
    self.message = message
    self.time = time
  }
}
