/// What the operator sets about all mails.
package struct MailIdentity: Sendable {
  /// The sender, in `From`.
  package let from: Mailbox
  /// Where replies go, if not to the sender.
  package let replyTo: Mailbox?
  /// The name of the list, as in the texts.
  package let listName: String
  /// The service's public URL without a slash at its end; all links lead there.
  package let publicURL: String
  /// Text at the end of each mail, such as a postal address; empty if there is none.
  package let footer: String
  /// Whether mails contain a code.
  package let sendsCode: Bool

  /// Creates the identity.
  ///
  /// - Parameters:
  ///   - from: The sender; without a name it gets that of the list.
  ///   - replyTo: Where replies go, if not to the sender.
  ///   - publicURL: The service's public URL; a slash at its end is removed.
  package init(
    from: Mailbox,
    replyTo: Mailbox? = nil,
    listName: String,
    publicURL: String,
    footer: String = "",
    sendsCode: Bool = true
  ) {
    self.from = from.named(listName)
    self.replyTo = replyTo
    self.listName = listName
    self.publicURL = publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL
    self.footer = footer
    self.sendsCode = sendsCode
  }
}
