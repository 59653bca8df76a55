package import Signals

/// Read access to the mailing list: a store, or a reader next to the service that writes the list.
///
/// Its function may be called from any thread and does not block; the signal sends on a thread that
/// the reader chooses.
package protocol SubscriberReader: Sendable {
  /// Reads subscribers in the order of their ids, a bounded number at a time.
  ///
  /// The signal is cold: each subscription reads the list as it is at that moment. To read the whole
  /// list, continue with the id of the last subscriber until the array is empty. Subscribers that
  /// are added meanwhile have greater ids, so none is read twice and none is skipped.
  ///
  /// - Parameters:
  ///   - id: Only subscribers with a greater id are read; `nil` starts with the first.
  ///   - limit: The maximum number of subscribers, 1 or more.
  /// - Returns: A signal that sends one array, which is empty when no subscribers are left, and
  ///   completes. It fails with `StoreError` when the list cannot be read, and with
  ///   ``StoreError/closed`` when the store has been closed.
  func subscribers(after id: Int64?, limit: Int) -> Signal<[Subscriber], StoreError>
}
