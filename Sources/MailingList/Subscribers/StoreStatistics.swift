package import Signals

/// Statistics of a store, for the operator.
///
/// All functions may be called from any thread, and none of them blocks.
package protocol StoreStatistics: Sendable {
  /// The number of sign-ups that wait for a transaction.
  var queuedSignUps: Int { get }

  /// The size of the log that is not yet part of the database, in bytes; `nil` for a store without
  /// such a file.
  var logBytes: Int? { get }

  /// Counts the subscribers of each state; a state without subscribers is missing.
  ///
  /// The store reads the whole list, which takes some hundred milliseconds for a million
  /// subscribers. A subscriber that changes meanwhile may be counted in the old or in the new
  /// state.
  ///
  /// The signal is cold; it sends one value and completes, or fails if the store cannot be read.
  func subscriberCounts() -> Signal<[Subscriber.State: Int], StoreError>
}
