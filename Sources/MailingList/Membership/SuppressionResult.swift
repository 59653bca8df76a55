/// The result of a suppression of an address.
package enum SuppressionResult: Hashable, Sendable {
  /// The subscriber is suppressed from now on, or for a stronger reason than before.
  case suppressed
  /// The address is not on the list; it will be suppressed if it is signed up.
  case unlisted
  /// The address was already suppressed, for a reason at least as strong; nothing has changed.
  case already
}
