/// The public id of an event, such as `k3f9a2c1-48213`.
///
/// A database that was restored from a backup begins a new epoch, because its positions are given
/// again.
package struct EventID: Hashable, Sendable, CustomStringConvertible {
  package let epoch: String
  /// The position of the event; 0 precedes the first one.
  package let position: Int64

  package init(epoch: String, position: Int64) {
    self.epoch = epoch
    self.position = position
  }

  /// Parses an id; `nil` if it is not one.
  package init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, let position = Int64(parts[1]), position >= 0,
      "\(position)" == parts[1]
    else { return nil }
    self.init(epoch: String(parts[0]), position: position)
  }

  package var description: String { "\(epoch)-\(position)" }
}
