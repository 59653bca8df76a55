internal import EmailAddresses
package import MailingList
package import Security

/// A composer of messages, and of the credentials that a store keeps for each mail.
///
/// Both are derived from the mail's id, so each attempt has the same Message-ID, links and code.
package struct MailComposer: Sendable {
  private let wordings: MailWordings
  private let keys: MailKeys

  private var identity: MailIdentity { wordings.identity }

  package init(_ wordings: MailWordings, _ keys: MailKeys) {
    self.wordings = wordings
    self.keys = keys
  }

  /// Creates a composer, and checks each template by rendering it once in each language.
  ///
  /// - Throws: `TemplateError` for the first unusable template.
  package init(
    _ identity: MailIdentity, _ templates: MailTemplates, _ keys: MailKeys
  ) throws(TemplateError) {
    self.init(try MailWordings(identity, templates), keys)
  }

  /// Composes the message of a mail, which says so if it is a test.
  ///
  /// - Throws: `HeaderFieldError` if a header field is invalid, which the checks of settings and
  ///   templates at startup rule out.
  package func message(
    for mail: ClaimedMail, at time: Timestamp, isTest: Bool = false
  ) throws(HeaderFieldError) -> MailMessage {
    let layout = wordings.mail(mail.kind, in: mail.locale).layout
    let unsubscribe = url("unsubscribe", keys.token(.unsubscribe, ofMail: mail.id.bytes))
    let rendered = layout.render(
      confirmURL: url("confirm", keys.token(.confirm, ofMail: mail.id.bytes)),
      unsubscribeURL: unsubscribe, code: keys.code(ofMail: mail.id.bytes).digits, isTest: isTest)
    let id = keys.messageID(ofMail: mail.id.bytes).text
    var fields = try fields(of: mail, (isTest ? "[Test] " : "") + rendered.subject, id, at: time)
    if let replyTo = identity.replyTo {
      fields.append(try HeaderField(.replyTo, .mailbox(replyTo)))
    }
    fields += [
      try HeaderField(.autoResponseSuppress, .token("OOF, AutoReply")),
      try HeaderField(.listID, .token("<\(identity.listID)>")),
      try HeaderField(.listUnsubscribe, .token("<\(unsubscribe)>")),
      try HeaderField(.listUnsubscribePost, .token("List-Unsubscribe=One-Click")),
      try HeaderField(.contentLanguage, .token(layout.language)),
    ]
    return try MailMessage(messageID: id, fields: fields, text: rendered.text, html: rendered.html)
  }

  /// Composes a message to the operator, in English.
  ///
  /// - Throws: `HeaderFieldError` if a header field is invalid, which the checks of settings at
  ///   startup rule out.
  package func notice(
    _ subject: String, _ text: String, in mail: ClaimedMail, at time: Timestamp
  ) throws(HeaderFieldError) -> MailMessage {
    let id = keys.messageID(ofMail: mail.id.bytes).text
    let subject = "[\(identity.profile.name)] \(subject)"
    return try MailMessage(
      messageID: id, fields: try fields(of: mail, subject, id, at: time), text: text,
      html: "<!doctype html><pre>\(MailTemplate.escaped(text))</pre>")
  }

  /// Creates the header fields that all messages have.
  private func fields(
    of mail: ClaimedMail, _ subject: String, _ id: String, at time: Timestamp
  ) throws(HeaderFieldError) -> [HeaderField] {
    [
      try HeaderField(.from, .mailbox(identity.from)),
      try HeaderField(.to, .mailbox(Mailbox(mail.recipient))),
      try HeaderField(.subject, .text(subject)),
      try HeaderField(.date, .token(MailDate.text(of: time))),
      try HeaderField(.messageID, .token("<\(id)@\(identity.from.address.asciiDomain)>")),
      try HeaderField(.autoSubmitted, .token("auto-generated")),
    ]
  }

  /// Returns the hashes of a mail's links and code, its Message-ID and its wording, for the store.
  package func credentials(for mail: ClaimedMail) -> MailCredentials {
    let id = mail.id.bytes
    let code = mail.kind.confirms && identity.sendsCode ? keys.code(ofMail: id) : nil
    return MailCredentials(
      confirmHash: mail.kind.confirms ? keys.token(.confirm, ofMail: id).hash : nil,
      unsubscribeHash: keys.token(.unsubscribe, ofMail: id).hash,
      codeHash: code.map { keys.hash(of: $0, for: mail.subscriberID) },
      messageID: "\(keys.messageID(ofMail: id).text)@\(identity.from.address.asciiDomain)",
      wording: wordings.mail(mail.kind, in: mail.locale).wording)
  }

  private func url(_ path: String, _ token: MailToken) -> String {
    "\(identity.publicURL)/\(path)/\(token.text)"
  }
}

extension MailKind {
  /// Whether a mail of this kind contains a confirmation link.
  var confirms: Bool {
    switch self {
    case .confirm: true
    case .already: false
    }
  }
}
