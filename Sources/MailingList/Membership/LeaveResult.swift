/// The result of leaving by a link.
package enum LeaveResult: Hashable, Sendable {
  /// The person has left the list.
  case left
  /// The person was not on the list; nothing has changed.
  case already
  /// The link is unknown.
  case unknown
}
