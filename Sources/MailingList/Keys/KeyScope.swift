/// A permission of a key of the operator's interface.
package enum KeyScope: String, Hashable, Sendable, CaseIterable {
  /// Read the metrics.
  case metrics
  /// Log in to the board.
  case board
  /// Read subscribers, consents and counts.
  case read
  /// Change states, erase people, and send mails to confirm.
  case write
  /// Add subscribers.
  case add
  /// Read the event log.
  case events
  /// Manage webhooks.
  case webhooks
  /// Report bounces and complaints.
  case feedback
}
