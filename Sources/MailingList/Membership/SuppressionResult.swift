/// What a suppression of an address has led to.
package enum SuppressionResult: Hashable, Sendable {
  /// The subscriber is suppressed from now on, or for a stronger reason than before.
  case suppressed
  /// The address is not on the list; it is suppressed should it be signed up.
  case unlisted
  /// The address was suppressed already, for a reason that is as strong; nothing has changed.
  case already
}
