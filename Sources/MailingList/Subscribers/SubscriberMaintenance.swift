package import EmailAddresses

/// An eraser of subscribers that works while services use the list.
// Not Sendable: a single thread uses it.
package protocol SubscriberEraser {
  /// Counts the subscribers and consents that ``erase(_:)`` would erase.
  ///
  /// - Parameter addresses: The addresses to look up by their comparison keys.
  /// - Returns: The numbers of subscribers on the list and of their consents.
  /// - Throws: `StoreError`.
  func count(_ addresses: [EmailAddress]) throws(StoreError) -> ErasedCounts

  /// Erases subscribers and their consents in one transaction.
  ///
  /// The suppression of a person stays as a keyed hash, as if the address had not been on the list.
  ///
  /// - Parameters:
  ///   - addresses: The addresses to erase, found by their comparison keys.
  ///   - forgetsSuppressions: Whether suppressions are erased as well, also of addresses that are not
  ///     on the list.
  /// - Returns: The numbers of subscribers and consents that were erased.
  /// - Throws: `ErasureError`.
  func erase(
    _ addresses: [EmailAddress],
    forgettingSuppressions forgetsSuppressions: Bool
  ) throws(ErasureError) -> ErasedCounts

  /// Closes the list.
  func close()
}

/// A writer of suppressions that works while services use the list.
// Not Sendable: a single thread uses it.
package protocol SubscriberSuppressor {
  /// Suppresses addresses in one transaction, also those that are not on the list.
  ///
  /// - Parameters:
  ///   - addresses: The addresses, found by their comparison keys.
  ///   - reason: The reason; a weaker one does not replace a stronger one.
  ///   - time: The current time.
  /// - Returns: What has become of each address, in order.
  /// - Throws: `StoreError` when nothing was stored.
  func suppress(
    _ addresses: [EmailAddress],
    _ reason: Suppression,
    at time: Timestamp
  ) throws(StoreError) -> [SuppressionResult]

  /// Closes the list.
  func close()
}
