package import Signals

/// Read access to the mailing list: a store, or a reader next to the service that writes the list.
package protocol SubscriberReader: Sendable {
  /// Reads subscribers in the order of their ids, a bounded number at a time.
  ///
  /// - Parameters:
  ///   - id: Only subscribers with a greater id are read; `nil` starts with the first.
  ///   - limit: The maximum number of subscribers, 1 or more.
  /// - Returns: A signal that sends one array, which is empty when no subscribers are left.
  func subscribers(after id: Int64?, limit: Int) -> Signal<[Subscriber], StoreError>
}
