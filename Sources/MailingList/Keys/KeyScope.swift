/// What a key of the operator's interface allows.
package enum KeyScope: String, Hashable, Sendable, CaseIterable {
  /// Reads the metrics.
  case metrics
  /// Logs in to the board.
  case board
  /// Reads subscribers, consents and counts.
  case read
  /// Changes states, erases people, and sends mails to confirm.
  case write
  /// Adds subscribers.
  case add
  /// Reads the event log.
  case events
  /// Manages webhooks.
  case webhooks
  /// Reports bounces and complaints.
  case feedback
}
