/// A status message of one execution.
package struct StatusEvent: Hashable, Sendable {
  /// Whose it is; never shown on a public stream.
  package let execution: ExecutionID
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
  package init(execution: ExecutionID, message: StatusMessage, time: Timestamp) {
    self.execution = execution
    self.message = message
    self.time = time
  }
}
