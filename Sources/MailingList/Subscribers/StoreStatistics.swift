/// Statistics of a store, for the operator.
///
/// Both may be read on any thread, and never block.
package protocol StoreStatistics: Sendable {
  /// The number of sign-ups that wait for a transaction.
  var queuedSignUps: Int { get }

  /// The size of the log that is not yet part of the database, in bytes; `nil` for a store without
  /// such a file.
  var logBytes: Int? { get }
}
