/// The purpose of a derived key; the raw value is the info of HKDF and never changes.
package enum KeyPurpose: String, Hashable, Sendable, CaseIterable {
  /// Derives the tokens in the links of mails.
  case token = "enlist token"
  /// Encrypts the subscribers in the links of an export.
  case subscriber = "enlist subscriber"
  /// Derives the codes in mails, and hashes them for storage.
  case code = "enlist code"
  /// Derives Message-IDs.
  case messageID = "enlist message-id"
  /// Hashes mailboxes, whose mails are counted.
  case mailbox = "enlist mailbox"
  /// Hashes addresses that must not receive mail.
  case suppression = "enlist suppression"
  /// Authenticates the sessions of the board.
  case session = "enlist session"
}
