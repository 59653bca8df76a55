/// The keyed hashes of an address, by which a store counts its mails and finds its suppression.
///
/// They are made with keys that the store need not have, outside its thread.
package struct AddressHashes: Hashable, Sendable {
  /// The hash of the mailbox, which the addresses of one person share; 32 bytes, and one more for an
  /// address with a subaddress.
  package let mailbox: [UInt8]
  /// The hash of the comparison key, made with the secret in use; 32 bytes.
  package let suppression: [UInt8]
  /// The same with the secret before, if there is one.
  package let previousSuppression: [UInt8]?

  /// Creates hashes.
  ///
  /// - Parameters:
  ///   - suppression: The hash of the comparison key; 32 bytes.
  ///   - previousSuppression: The same with the secret before, if there is one.
  package init(mailbox: [UInt8], suppression: [UInt8], previousSuppression: [UInt8]? = nil) {
    self.mailbox = mailbox
    self.suppression = suppression
    self.previousSuppression = previousSuppression
  }

  /// Creates hashes.
  ///
  /// - Parameter suppressions: The hash of the comparison key for each secret; the one in use is
  ///   the first.
  package init(mailbox: [UInt8], suppressions: [[UInt8]]) {
    self.init(
      mailbox: mailbox,
      suppression: suppressions.first ?? [],
      previousSuppression: suppressions.dropFirst().first
    )
  }
}
