/// The effect that a link in a mail would have.
package enum LinkStatus: Hashable, Sendable {
  /// The link is unknown, or its subscriber has been erased.
  case unknown
  /// Pressing the button changes the membership: the person confirms, or leaves.
  case usable
  /// The link has no effect: the person is already a subscriber, or is not on the list.
  case done
  /// The link to confirm has expired, or the person has left or was suppressed since.
  ///
  /// A link to leave never has this status.
  case gone
}
