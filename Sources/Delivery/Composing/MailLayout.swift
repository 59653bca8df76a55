internal import MailingList

/// The subject, text and HTML of a mail, rendered from its templates.
struct RenderedMail: Sendable {
  let subject: String
  let text: String
  let html: String
  /// The error for the first unknown name in the templates.
  let error: TemplateError?
}

/// The templates of a kind of mail in a language, and the values that all its mails share.
struct MailLayout: Sendable {
  let language: String
  let templates: MailTemplates.Templates
  private let values: [String: String]
  private let confirms: Bool
  private let sendsCode: Bool

  init(
    _ kind: MailKind, _ texts: LanguageTexts, _ templates: MailTemplates.Templates,
    _ identity: MailIdentity
  ) {
    let profile = identity.profile
    var values = [
      "list": profile.name,
      "subject": texts.text("subject", of: kind, list: profile.name) ?? profile.name,
      "language": texts.language,
      "direction": texts.language.isRightToLeft ? "rtl" : "",
      "footer": identity.footer,
      "siteURL": profile.siteURL ?? "",
      "privacyURL": profile.privacyURL ?? "",
      "imprintURL": profile.imprintURL ?? "",
      "logoURL": identity.logoURL ?? "",
      "accentColor": profile.accent?.onLight.text ?? "#1a56b0",
      "onAccentColor": profile.accent?.onLight.onAccent.text ?? "#ffffff",
      "darkAccentColor": profile.accent?.onDark.text ?? "#8ab4f8",
    ]
    for (key, text) in texts.texts(of: kind, list: profile.name) { values["text.\(key)"] = text }
    self.values = values
    self.templates = templates
    language = texts.language
    confirms = kind.confirms
    sendsCode = identity.sendsCode
  }

  /// Renders a mail; one that does not confirm has neither `confirmURL` nor `code`.
  func render(
    confirmURL: @autoclosure () -> String, unsubscribeURL: String, code: @autoclosure () -> String,
    isTest: Bool = false
  ) -> RenderedMail {
    var values = values
    values["confirmURL"] = confirms ? confirmURL() : ""
    values["unsubscribeURL"] = unsubscribeURL
    values["code"] = confirms && sendsCode ? code() : ""
    values["test"] = isTest ? "test" : ""
    var error: TemplateError?
    if let template = templates.subject { values["subject"] = template.render(values, &error) }
    // Empty lines after a line `Subject: …` are not part of the text.
    let text = String(templates.text.render(values, &error).drop(while: \.isNewline))
    let html = templates.html.render(values, &error)
    return RenderedMail(subject: values["subject"] ?? "", text: text, html: html, error: error)
  }
}
