/// The operator's settings for all mails.
package struct MailIdentity: Sendable {
  /// The sender, in `From`.
  package let from: Mailbox
  /// The address in `Reply-To`; `nil` directs replies to the sender.
  package let replyTo: Mailbox?
  /// The name of the list in the texts.
  package let listName: String
  /// The service's public URL without a trailing slash; the base of all links.
  package let publicURL: String
  /// The text at the end of each mail, such as a postal address; may be empty.
  package let footer: String
  /// Whether confirmation mails contain a code.
  package let sendsCode: Bool

  /// Creates the identity; a sender without a name gets the list's name, and a trailing slash is
  /// removed from the public URL.
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
