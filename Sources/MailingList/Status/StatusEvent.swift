/// A status message of one execution.
package struct StatusEvent: Hashable, Sendable {
  /// The execution that sent the message; never shown on a public stream.
  package let execution: ExecutionID
  package let message: StatusMessage
  package let time: Timestamp

  package init(execution: ExecutionID, message: StatusMessage, time: Timestamp) {
    self.execution = execution
    self.message = message
    self.time = time
  }
}
