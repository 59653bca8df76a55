internal import MailingList

/// The links and the code of a mail; what it does not have is empty.
struct MailLinks: Sendable {
  let confirm: String
  let unsubscribe: String
  let code: String
}

/// The subject, text and HTML of a mail, rendered from its templates.
struct RenderedMail: Sendable {
  let subject: String
  let text: String
  let html: String
  /// The names that the templates used and that do not exist.
  let unknownNames: [String]

  /// Renders the templates.
  init(
    _ kind: MailKind,
    _ texts: MailTexts,
    _ identity: MailIdentity,
    _ templates: MailTemplates,
    _ links: MailLinks
  ) {
    let list = identity.listName
    var values = [
      "list": list,
      "language": texts.language,
      "confirmURL": links.confirm,
      "unsubscribeURL": links.unsubscribe,
      "code": links.code,
      "footer": identity.footer,
      "subject": texts.text("subject", of: kind, list: list) ?? list,
    ]
    let found = templates.templates(of: kind, in: texts.language)
    var unknownNames: [String] = []
    func render(_ template: MailTemplate?) -> String {
      guard let template else { return "" }
      let parent = TemplateValues(values, texts, kind, list: list)
      defer { unknownNames += parent.unknownNames }
      return template.render(parent)
    }
    if let subject = found?.subject { values["subject"] = render(subject) }
    subject = values["subject"] ?? list
    // Empty lines after a line `Subject: …` are not part of the text.
    text = String(render(found?.text).drop(while: \.isNewline))
    html = render(found?.html)
    self.unknownNames = unknownNames
  }
}
