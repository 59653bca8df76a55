package import Signals

/// Numbers about a store, for the operator.
///
/// All functions may be called from any thread, and none of them blocks.
package protocol StoreStatistics: Sendable {
  /// The number of sign-ups that wait for a transaction.
  var queuedSignUps: Int { get }

  /// The size of the log that is not yet part of the database, in bytes; `nil` for a store without
  /// such a file.
  var logBytes: Int? { get }

  /// Counts the subscribers of each state.
  ///
  /// The store reads the whole list for it, some hundred milliseconds for a million subscribers.
  /// Subscribers that change meanwhile may be counted as they were or as they are.
  ///
  /// - Returns: A cold signal that sends one value and completes, or fails when the store cannot be
  ///   read. A state without subscribers is missing.
  func subscriberCounts() -> Signal<[Subscriber.State: Int], StoreError>
}
