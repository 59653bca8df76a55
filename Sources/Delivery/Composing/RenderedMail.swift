internal import Languages
internal import MailingList

/// The subject, text and HTML of a mail, rendered from its templates.
struct RenderedMail: Sendable {
  let subject: String
  let text: String
  let html: String
  /// The error for the first unknown name in the templates.
  let error: TemplateError?

  /// Renders the templates; a mail that does not confirm has neither `confirmURL` nor `code`.
  init(
    _ kind: MailKind,
    _ texts: LanguageTexts,
    _ identity: MailIdentity,
    _ templates: MailTemplates,
    confirmURL: @autoclosure () -> String,
    unsubscribeURL: String,
    code: @autoclosure () -> String,
    isTest: Bool = false
  ) {
    let profile = identity.profile
    let list = profile.name
    var values = [
      "list": list,
      "language": texts.language,
      "direction": texts.language.isRightToLeft ? "rtl" : "",
      "confirmURL": kind.confirms ? confirmURL() : "",
      "unsubscribeURL": unsubscribeURL,
      "code": kind.confirms && identity.sendsCode ? code() : "",
      "footer": identity.footer,
      "siteURL": profile.siteURL ?? "",
      "privacyURL": profile.privacyURL ?? "",
      "imprintURL": profile.imprintURL ?? "",
      "logoURL": identity.logoURL ?? "",
      "accentColor": profile.accent?.onLight.text ?? "#1a56b0",
      "onAccentColor": profile.accent?.onLight.onAccent.text ?? "#ffffff",
      "darkAccentColor": profile.accent?.onDark.text ?? "#8ab4f8",
      "test": isTest ? "test" : "",
      "subject": texts.text("subject", of: kind, list: list) ?? list,
    ]
    for (key, text) in texts.texts(of: kind, list: list) { values["text.\(key)"] = text }
    let found = templates.templates(of: kind, in: texts.language)
    var error: TemplateError?
    if let template = found?.subject { values["subject"] = template.render(values, &error) }
    subject = values["subject"] ?? list
    // Empty lines after a line `Subject: …` are not part of the text.
    text = String((found?.text.render(values, &error) ?? "").drop(while: \.isNewline))
    html = found?.html.render(values, &error) ?? ""
    self.error = error
  }
}
