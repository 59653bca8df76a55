/// The purpose of a link in a mail; the raw value is the stored one.
package enum LinkPurpose: Int64, Hashable, Sendable, CaseIterable {
  /// Confirm the subscription.
  case confirm = 0
  /// Leave the list.
  case unsubscribe = 1
}
