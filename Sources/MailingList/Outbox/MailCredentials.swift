/// The stored form of the links and the code of a mail: hashes, and the wording of the mail.
package struct MailCredentials: Hashable, Sendable {
  /// The hash of the token that confirms; `nil` in a mail without such a link.
  package let confirmHash: [UInt8]?
  /// The hash of the token that unsubscribes.
  package let unsubscribeHash: [UInt8]
  /// The keyed hash of the code; `nil` in a mail without a code.
  package let codeHash: [UInt8]?
  /// The Message-ID, with its domain, without angle brackets.
  package let messageID: String
  /// The text of the mail, as a template.
  package let wording: MailWording

  package init(
    confirmHash: [UInt8]?, unsubscribeHash: [UInt8], codeHash: [UInt8]?, messageID: String,
    wording: MailWording
  ) {
    self.confirmHash = confirmHash
    self.unsubscribeHash = unsubscribeHash
    self.codeHash = codeHash
    self.messageID = messageID
    self.wording = wording
  }
}
