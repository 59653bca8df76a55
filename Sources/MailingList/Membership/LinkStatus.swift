/// What a link in a mail leads to.
package enum LinkStatus: Hashable, Sendable {
  /// The link is unknown, or its subscriber has been erased.
  case unknown
  /// Pressing the button changes the membership: the person confirms, or leaves.
  case usable
  /// Nothing is left to do: the person is a subscriber, or is not on the list, already.
  case done
  /// The link to confirm has expired, or the person has left or was suppressed since. A link to
  /// leave never is.
  case gone
}
