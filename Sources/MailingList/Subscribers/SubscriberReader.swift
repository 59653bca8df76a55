package import Signals

/// What reads the mailing list: a store, or a reader beside the service that writes it.
package protocol SubscriberReader: Sendable {
  /// Reads subscribers in the order of their ids, a bounded number at a time.
  ///
  /// - Parameters:
  ///   - id: Only ids above this one; `nil` begins at the first.
  ///   - limit: How many at the most, 1 or more.
  /// - Returns: One array; empty when there are none left.
  func subscribers(after id: Int64?, limit: Int) -> Signal<[Subscriber], StoreError>
}
