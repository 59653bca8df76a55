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

  /// The lifetime of a token that confirms.
  package static let confirmLifetime: Duration = .seconds(7 * 86_400)
  /// The lifetime of a code.
  package static let codeLifetime: Duration = .seconds(1800)
  /// The maximum number of attempts at the code of a mail, and of codes for an execution.
  package static let codeTries = 5

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
