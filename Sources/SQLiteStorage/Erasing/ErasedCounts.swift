package import MailingList

/// How much of the list an erasure concerns.
package struct ErasedCounts: Hashable, Sendable {
  /// How many people.
  package let subscribers: Int
  /// How many of their consents.
  package let consents: Int
}

/// Why people were not erased, or not completely.
package enum ErasureError: Error, Hashable, Sendable {
  /// Nothing was erased.
  case notErased(StoreError)
  /// The rows are erased, but their bytes may still be in the files.
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
      the rows are erased, but bytes of them may still be in the database or its log: \(error); run \
      the same command again
      """
    }
  }
}
