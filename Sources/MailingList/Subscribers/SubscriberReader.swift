package import Signals

/// Read access to the mailing list: a store, or a reader next to the service that writes the list.
///
/// The function may be called from any thread and does not block; the signal sends on a thread that
/// the reader chooses.
package protocol SubscriberReader: Sendable {
  /// Reads subscribers in the order of their ids, a bounded number at a time.
  ///
  /// The signal is cold: each subscription reads the current list. To read the whole list, continue
  /// with the id of the last subscriber until the array is empty. Subscribers that are added
  /// meanwhile have greater ids, so none is read twice and none is skipped.
  ///
  /// The signal sends one array, which is empty if no subscribers remain, and completes. It fails
  /// with `StoreError` if the list cannot be read, and with ``StoreError/closed`` if the store has
  /// been closed.
  ///
  /// - Parameters:
  ///   - id: Only subscribers with a greater id are read; `nil` starts with the first.
  ///   - limit: The maximum number of subscribers, 1 or more.
  func subscribers(after id: Int64?, limit: Int) -> Signal<[Subscriber], StoreError>
}
