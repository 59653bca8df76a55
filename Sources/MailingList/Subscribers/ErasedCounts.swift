/// The numbers of subscribers and consents that an erasure affects, and of remaining suppressions.
package struct ErasedCounts: Hashable, Sendable {
  package let subscribers: Int
  package let consents: Int

  /// The number of addresses whose suppression remains as a keyed hash.
  package let suppressions: Int

  package init(subscribers: Int, consents: Int, suppressions: Int = 0) {
    self.subscribers = subscribers
    self.consents = consents
    self.suppressions = suppressions
  }
}

/// What the keyed hash that an erasure leaves prevents; a stronger suppression of the address stays,
/// unless nothing is left.
package enum ErasureTrace: String, CaseIterable, Sendable {
  /// Imports and programs do not add the address again; the person may sign up.
  case imports
  /// The address never gets mail again.
  case everything
  /// No hash is left.
  case nothing
}

/// The reason why an erasure failed or is incomplete.
package enum ErasureError: Error, Hashable, Sendable {
  /// Nothing was erased.
  case notErased(StoreError)
  /// The rows are erased, but the files may still contain their bytes.
  case bytesRemain(StoreError)
}

extension ErasureError: CustomStringConvertible {
  /// One sentence for the operator.
  package var description: String {
    switch self {
    case .notErased(let error):
      "nothing was erased: \(error)"
    case .bytesRemain(let error):
      """
      the rows are erased, but the database or its log may still contain their bytes: \(error); \
      run the same command again
      """
    }
  }
}
