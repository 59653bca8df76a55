package import MailingList

/// The operator's settings for all mails.
package struct MailIdentity: Sendable {
  /// The sender, in `From`.
  package let from: Mailbox
  /// The address in `Reply-To`; `nil` directs replies to the sender.
  package let replyTo: Mailbox?
  /// The look and the words of the list; it has a name.
  package let profile: ListProfile
  /// The service's public URL without a trailing slash; the base of all links.
  package let publicURL: String
  /// The text at the end of each mail, such as a postal address; may be empty.
  package let footer: String
  /// Whether confirmation mails contain a code.
  package let sendsCode: Bool

  /// Creates the identity; a sender without a name gets the list's name, and a trailing slash is
  /// removed from the public URL.
  package init(
    from: Mailbox, replyTo: Mailbox? = nil, profile: ListProfile, publicURL: String,
    footer: String = "", sendsCode: Bool = true
  ) {
    self.from = from.named(profile.name)
    self.replyTo = replyTo
    self.profile = profile
    self.publicURL = publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL
    self.footer = footer
    self.sendsCode = sendsCode
  }

  /// The host of the public URL, which identifies the list (RFC 2919).
  var listID: Substring {
    let host = publicURL.split(separator: "/").dropFirst().first ?? "localhost"
    return host.prefix { $0 != ":" }
  }

  /// The URL of the logo; `nil` for one that mail programs do not show.
  var logoURL: String? {
    guard profile.logo?.format == .png, publicURL.hasPrefix("https:") else { return nil }
    return "\(publicURL)/logo"
  }
}
