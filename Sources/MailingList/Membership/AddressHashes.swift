/// The keyed hashes of an address, by which a store counts its mails and finds its suppression.
///
/// The hashes are computed outside the store's thread, with keys that the store need not have.
package struct AddressHashes: Hashable, Sendable {
  /// The hash of the mailbox, which the addresses of one person share; 32 bytes, and one more for
  /// an address with a subaddress.
  package let mailbox: [UInt8]
  /// The hash of the comparison key, computed with the secret in use; 32 bytes.
  package let suppression: [UInt8]
  /// The same with the previous secret, if there is one.
  package let previousSuppression: [UInt8]?

  package init(mailbox: [UInt8], suppression: [UInt8], previousSuppression: [UInt8]? = nil) {
    self.mailbox = mailbox
    self.suppression = suppression
    self.previousSuppression = previousSuppression
  }

  /// Creates hashes from those of the comparison key for each secret; the one in use is the first.
  package init(mailbox: [UInt8], suppressions: [[UInt8]]) {
    self.init(
      mailbox: mailbox, suppression: suppressions.first ?? [],
      previousSuppression: suppressions.dropFirst().first)
  }
}
