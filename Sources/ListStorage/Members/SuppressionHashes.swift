/// The keyed hashes by which the suppressions of an address are found: one for each secret, and new
/// ones are stored with the first.
///
/// A complaint, an objection and the operator's decision concern a person: they are stored for the
/// mailbox, and hold for all its spellings, as mails are counted. A bounce and the trace of an
/// erasure concern one spelling. Everything that is stored for a spelling holds for it.
package struct SuppressionHashes: Hashable, Sendable {
  /// The hashes of the address as it is spelled.
  package let own: [[UInt8]]
  /// The hashes of the mailbox; the same for most addresses.
  package let mailbox: [[UInt8]]
  /// The key of the one spelling whose own hashes are those of the mailbox.
  let mailboxKey: String

  /// All hashes, each once.
  var all: [[UInt8]] { mailbox == own ? own : mailbox + own }
}
