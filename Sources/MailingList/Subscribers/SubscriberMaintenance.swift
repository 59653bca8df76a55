package import EmailAddresses

/// An eraser of subscribers that works while services use the list.
// Not Sendable: a single thread uses it.
package protocol SubscriberEraser {
  func count(_ addresses: [EmailAddress]) throws(StoreError) -> ErasedCounts

  /// Erases subscribers and their consents in one transaction.
  ///
  /// The suppression of a person remains as a keyed hash, as if the address had not been on the
  /// list, unless suppressions are erased as well, also those of addresses that are not on the
  /// list.
  func erase(
    _ addresses: [EmailAddress],
    forgettingSuppressions forgetsSuppressions: Bool
  ) throws(ErasureError) -> ErasedCounts

  func close()
}

/// A writer of suppressions that works while services use the list.
// Not Sendable: a single thread uses it.
package protocol SubscriberSuppressor {
  /// Suppresses addresses in one transaction, also those that are not on the list; a weaker reason
  /// does not replace a stronger one.
  ///
  /// - Throws: `StoreError` if nothing was stored.
  func suppress(
    _ addresses: [EmailAddress],
    _ reason: Suppression,
    at time: Timestamp
  ) throws(StoreError) -> [SuppressionResult]

  func close()
}
