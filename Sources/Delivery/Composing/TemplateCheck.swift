internal import MailingList
internal import Secrets

/// Checks templates by rendering them with names instead of links, which yields their wording.
struct TemplateCheck {
  private let identity: MailIdentity
  private let templates: MailTemplates

  /// Names in place of values; they are longer than any code, and may stand in a URL.
  private static let links = MailLinks(
    confirm: "{{confirmURL}}",
    unsubscribe: "{{unsubscribeURL}}",
    code: "{{code}}"
  )

  /// Creates a check.
  init(_ identity: MailIdentity, _ templates: MailTemplates) {
    self.identity = identity
    self.templates = templates
  }

  /// Returns the wording of a kind of mail in a language.
  ///
  /// - Throws: `TemplateError` if a template uses an unknown name, lacks a link or is too long.
  func wording(of kind: MailKind, _ texts: MailTexts) throws(TemplateError) -> MailWording {
    guard let found = templates.templates(of: kind, in: texts.language) else {
      throw TemplateError(file: kind.name, position: nil, reason: "the template is missing")
    }
    let links = MailLinks(
      confirm: kind.confirms ? Self.links.confirm : "",
      unsubscribe: Self.links.unsubscribe,
      code: kind.confirms && identity.sendsCode ? Self.links.code : ""
    )
    let rendered = RenderedMail(kind, texts, identity, templates, links)
    if let name = rendered.unknownNames.first { throw Self.unknown(name, found) }
    for (template, content) in [(found.text, rendered.text), (found.html, rendered.html)] {
      for (name, link) in [("confirmURL", links.confirm), ("unsubscribeURL", links.unsubscribe)]
      where !content.contains(link) {
        throw TemplateError(
          file: template.file,
          position: nil,
          reason: "{{\(name)}} is missing"
        )
      }
    }
    try checkSize(found, of: kind, texts)
    do throws(HeaderFieldError) {
      _ = try HeaderField(.subject, .text(rendered.subject))
    } catch {
      throw TemplateError(
        file: found.text.file,
        position: .init(line: 1, column: 1),
        reason: "the subject contains a control character"
      )
    }
    return Self.wording(of: kind, texts.language, rendered)
  }

  /// Checks the size of a mail with links of the length that they have in mails.
  private func checkSize(
    _ found: MailTemplates.Templates,
    of kind: MailKind,
    _ texts: MailTexts
  ) throws(TemplateError) {
    let token = String(repeating: "A", count: MailToken.characterCount)
    let links = MailLinks(
      confirm: kind.confirms ? "\(identity.publicURL)/confirm/\(token)" : "",
      unsubscribe: "\(identity.publicURL)/unsubscribe/\(token)",
      code: kind.confirms && identity.sendsCode ? "000000" : ""
    )
    let rendered = RenderedMail(kind, texts, identity, templates, links)
    let text = QuotedPrintable.encode(rendered.text).count
    let html = QuotedPrintable.encode(rendered.html).count
    guard text + html > MailTemplates.maximumBytes else { return }
    throw TemplateError(
      file: text > html ? found.text.file : found.html.file,
      position: nil,
      reason: "text and HTML have more than \(MailTemplates.maximumBytes) bytes together"
    )
  }

  /// Returns the error for a name that does not exist, where it is used first.
  private static func unknown(
    _ name: String,
    _ found: MailTemplates.Templates
  ) -> TemplateError {
    for template in [found.subject, found.text, found.html].compactMap(\.self) {
      guard let position = template.position(ofName: name) else { continue }
      return TemplateError(file: template.file, position: position, reason: "unknown name \(name)")
    }
    return TemplateError(file: found.text.file, position: nil, reason: "unknown name \(name)")
  }

  private static func wording(
    of kind: MailKind,
    _ language: String,
    _ rendered: RenderedMail
  ) -> MailWording {
    let parts = [kind.name, language, rendered.subject, rendered.text, rendered.html]
    return MailWording(
      hash: TextHash.sha256(of: parts),
      kind: kind,
      language: language,
      subject: rendered.subject,
      text: rendered.text,
      html: rendered.html
    )
  }
}
