internal import Languages
internal import MailingList
internal import Secrets

/// Checked templates, and the wording of each kind of mail in each language.
///
/// A ``MailComposer`` combines them with keys. Wordings require no keys, so templates can be
/// checked before the store, which may contain the secret, is open.
package struct MailWordings: Sendable {
  let identity: MailIdentity
  let templates: MailTemplates
  private var wordings: [MailKind: [String: MailWording]] = [:]

  /// Renders each template in each language once.
  ///
  /// - Throws: `TemplateError` for the first template that uses an unknown name, lacks a link, is
  ///   too long or is otherwise unusable.
  package init(_ identity: MailIdentity, _ templates: MailTemplates) throws(TemplateError) {
    self.identity = identity
    self.templates = templates
    for kind in MailKind.allCases {
      for texts in templates.texts {
        guard let found = templates.templates(of: kind, in: texts.language) else { continue }
        wordings[kind, default: [:]][texts.language] = try wording(of: kind, texts, found)
        try checkSize(of: kind, texts, found)
      }
    }
  }

  /// Returns the wording of a kind of mail in a language; `nil` for a language without texts.
  func wording(of kind: MailKind, in language: String) -> MailWording? {
    wordings[kind]?[language]
  }

  /// Renders templates with names instead of values; the names are longer than any code, and may
  /// appear in a URL.
  private func wording(
    of kind: MailKind,
    _ texts: LanguageTexts,
    _ found: MailTemplates.Templates
  ) throws(TemplateError) -> MailWording {
    let rendered = RenderedMail(
      kind,
      texts,
      identity,
      templates,
      confirmURL: "{{confirmURL}}",
      unsubscribeURL: "{{unsubscribeURL}}",
      code: "{{code}}"
    )
    if let error = rendered.error { throw error }
    for (file, content) in [(found.text.file, rendered.text), (found.html.file, rendered.html)] {
      for name in kind.confirms ? ["confirmURL", "unsubscribeURL"] : ["unsubscribeURL"]
      where !content.contains("{{\(name)}}") {
        throw TemplateError(file: file, reason: "{{\(name)}} is missing")
      }
    }
    let start = TemplateError.Position(line: 1, column: 1)
    do throws(HeaderFieldError) {
      _ = try HeaderField(.subject, .text(rendered.subject))
    } catch {
      let reason = "the subject contains a control character"
      throw TemplateError(file: found.text.file, position: start, reason: reason)
    }
    guard !rendered.subject.isEmpty else {
      throw TemplateError(file: found.text.file, position: start, reason: "the subject is empty")
    }
    let parts = [kind.name, texts.language, rendered.subject, rendered.text, rendered.html]
    return MailWording(
      hash: TextHash.sha256(of: parts),
      kind: kind,
      language: texts.language,
      subject: rendered.subject,
      text: rendered.text,
      html: rendered.html
    )
  }

  /// Checks the size of a mail with links of their actual length.
  private func checkSize(
    of kind: MailKind,
    _ texts: LanguageTexts,
    _ found: MailTemplates.Templates
  ) throws(TemplateError) {
    let token = String(repeating: "A", count: MailToken.characterCount)
    let rendered = RenderedMail(
      kind,
      texts,
      identity,
      templates,
      confirmURL: "\(identity.publicURL)/confirm/\(token)",
      unsubscribeURL: "\(identity.publicURL)/unsubscribe/\(token)",
      code: "000000"
    )
    let text = QuotedPrintable.encode(rendered.text).count
    let html = QuotedPrintable.encode(rendered.html).count
    guard text + html > MailTemplates.maximumBytes else { return }
    throw TemplateError(
      file: text > html ? found.text.file : found.html.file,
      reason: "text and HTML have more than \(MailTemplates.maximumBytes) bytes together"
    )
  }
}
