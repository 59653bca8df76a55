internal import MailingList
internal import Platform
internal import Security

/// Checked templates, and the wording of each kind of mail in each language.
///
/// A ``MailComposer`` combines them with keys. Wordings require no keys, so templates can be
/// checked before the store, which may contain the secret, is open.
package struct MailWordings: Sendable {
  let identity: MailIdentity
  /// All languages, the default first.
  private let languages: [Language]

  /// A kind of mail in a language.
  struct Mail: Sendable {
    let layout: MailLayout
    let wording: MailWording
  }

  private struct Language: Sendable {
    let texts: LanguageTexts
    let confirm: Mail
    let already: Mail
  }

  /// Renders each template in each language once.
  ///
  /// - Throws: `TemplateError` for the first template that uses an unknown name, lacks a link, is
  ///   too long or is otherwise unusable.
  package init(_ identity: MailIdentity, _ templates: MailTemplates) throws(TemplateError) {
    self.identity = identity
    languages = try templates.languages.map { (language) throws(TemplateError) in
      let texts = language.texts
      let confirm = MailLayout(.confirm, texts, language.confirm, identity)
      let already = MailLayout(.already, texts, language.already, identity)
      return Language(
        texts: texts, confirm: try Self.check(.confirm, confirm, identity),
        already: try Self.check(.already, already, identity))
    }
  }

  /// Returns a kind of mail in a requested language, otherwise in the first of the same primary
  /// language, such as `pt-BR` for `pt-PT`, otherwise in English.
  ///
  /// - Parameter locale: A language tag (BCP 47); `nil` if none was requested.
  func mail(_ kind: MailKind, in locale: String?) -> Mail {
    let language =
      locale.flatMap { locale in
        let tag = LanguageRange.lookUp(locale, in: languages.map(\.texts.language))
        return languages.first { $0.texts.language == tag }
          ?? languages.first { Self.primary($0.texts.language) == Self.primary(locale) }
      } ?? languages[0]
    return switch kind {
    case .confirm: language.confirm
    case .already: language.already
    }
  }

  private static func primary(_ tag: String) -> String {
    tag.prefix { $0 != "-" && $0 != "_" }.lowercased()
  }

  /// Renders templates with names instead of values; the names are longer than any code, and may
  /// appear in a URL.
  private static func check(
    _ kind: MailKind, _ layout: MailLayout, _ identity: MailIdentity
  ) throws(TemplateError) -> Mail {
    let found = layout.templates
    let rendered = layout.render(
      confirmURL: "{{confirmURL}}", unsubscribeURL: "{{unsubscribeURL}}", code: "{{code}}")
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
    try checkSize(of: layout, identity)
    let parts = [kind.name, layout.language, rendered.subject, rendered.text, rendered.html]
    let wording = MailWording(
      hash: TextHash.sha256(of: parts), kind: kind, language: layout.language,
      subject: rendered.subject, text: rendered.text, html: rendered.html)
    return Mail(layout: layout, wording: wording)
  }

  /// Checks the size of a mail with links of their actual length.
  private static func checkSize(
    of layout: MailLayout, _ identity: MailIdentity
  ) throws(TemplateError) {
    let token = String(repeating: "A", count: MailToken.characterCount)
    let rendered = layout.render(
      confirmURL: "\(identity.publicURL)/confirm/\(token)",
      unsubscribeURL: "\(identity.publicURL)/unsubscribe/\(token)", code: "000000")
    let text = QuotedPrintable.encode(rendered.text).count
    let html = QuotedPrintable.encode(rendered.html).count
    guard text + html > MailTemplates.maximumBytes else { return }
    throw TemplateError(
      file: text > html ? layout.templates.text.file : layout.templates.html.file,
      reason: "text and HTML have more than \(MailTemplates.maximumBytes) bytes together")
  }
}
