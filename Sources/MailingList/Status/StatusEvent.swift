/// A status message of one execution.
package struct StatusEvent: Hashable, Sendable {
  /// The execution that sent the message; never shown on a public stream.
  package let execution: ExecutionID
  /// The message.
  package let message: StatusMessage
  /// The time of the message.
  package let time: Timestamp

  /// Creates an event.
  package init(execution: ExecutionID, message: StatusMessage, time: Timestamp) {
    self.execution = execution
    self.message = message
    self.time = time
  }
}
