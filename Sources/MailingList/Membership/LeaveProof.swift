/// The proof that a person may leave the list.
package enum LeaveProof: Sendable {
  /// The link of a mail, by the hash of its token.
  case link([UInt8])
  /// The link of an export, by the id of the subscriber and the time of the first sign-up.
  case subscriber(Int64, createdAt: Timestamp)
}
