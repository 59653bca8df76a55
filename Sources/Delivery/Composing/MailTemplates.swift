internal import Platform
internal import CResources
internal import MailingList

/// The templates of all mails: the built-in ones, except those that a directory replaces.
///
/// A directory may contain `confirm.html`, `confirm.txt`, `already.html` and `already.txt`, each
/// also for one language, such as `confirm.de.html`. The first line of a `.txt` file may be
/// `Subject: …`.
package struct MailTemplates: Sendable {
  /// The maximum size of a mail's encoded text and HTML together, and of a template, in bytes.
  package static let maximumBytes = 49_152

  /// The names that every template may use, in addition to `text.*`.
  package static let names = [
    "list", "subject", "language", "direction", "confirmURL", "unsubscribeURL", "code", "footer",
    "siteURL", "privacyURL", "imprintURL", "logoURL", "accentColor", "onAccentColor",
    "darkAccentColor", "test",
  ]

  /// The templates of one kind of mail in one language.
  struct Templates: Sendable {
    /// The subject; `nil` uses the one in the texts.
    let subject: MailTemplate?
    let text: MailTemplate
    let html: MailTemplate
  }

  /// The templates in one language.
  struct Language: Sendable {
    let texts: LanguageTexts
    let confirm: Templates
    let already: Templates
  }

  /// All languages, the default first.
  let languages: [Language]

  /// Reads and parses the templates.
  ///
  /// ``MailWordings`` then checks each of them by rendering it once.
  ///
  /// - Parameters:
  ///   - directory: The path of a directory; `nil` for the built-in templates.
  ///   - own: The owner's texts by language tag and key.
  /// - Throws: `TemplateError` for the first template that cannot be read or parsed.
  package init(
    directory: String? = nil, texts own: [String: [String: String]] = [:]
  ) throws(TemplateError) {
    languages = try LanguageTexts.all(with: own).map { (texts) throws(TemplateError) in
      Language(
        texts: texts, confirm: try Self.templates(of: .confirm, in: texts.language, directory),
        already: try Self.templates(of: .already, in: texts.language, directory))
    }
  }

  private static func templates(
    of kind: MailKind, in language: String, _ directory: String?
  ) throws(TemplateError) -> Templates {
    let text = try source(of: kind, .text, in: language, directory)
    let html = try source(of: kind, .html, in: language, directory)
    let (subject, body) = split(text.source)
    return Templates(
      subject: try subject.map { subject throws(TemplateError) in
        try MailTemplate(subject, file: text.file, format: .text)
      },
      text: try MailTemplate(body, file: text.file, format: .text),
      html: try MailTemplate(html.source, file: html.file, format: .html)
    )
  }

  /// Returns the content of the most specific file, or the built-in template without one.
  private static func source(
    of kind: MailKind, _ format: MailTemplate.Format, in language: String, _ directory: String?
  ) throws(TemplateError) -> (source: String, file: String) {
    let file = "\(kind.name).\(format.rawValue)"
    if let directory {
      for name in ["\(kind.name).\(language).\(format.rawValue)", file] {
        let source = try TemplateFile.read(name, in: directory, atMost: maximumBytes)
        if let source { return (source, name) }
      }
    }
    return (builtIn(kind, format), file)
  }

  private static func builtIn(_ kind: MailKind, _ format: MailTemplate.Format) -> String {
    let resource =
      switch (kind, format) {
      case (.confirm, .text): resource_confirm_txt()
      case (.confirm, .html): resource_confirm_html()
      case (.already, .text): resource_already_txt()
      case (.already, .html): resource_already_html()
      }
    return String(decoding: resource.bytes, as: UTF8.self)
  }

  /// The built-in templates as files for a directory, with comments that list the values and the
  /// texts; the files render the same mails.
  package static let builtInFiles: [(name: String, content: String)] =
    MailKind.allCases.flatMap { kind in
      MailTemplate.Format.allCases.map { format in
        let names = names.filter { kind.confirms || !["confirmURL", "code", "test"].contains($0) }
        let comments =
          ["Values: \(names.joined(separator: ", ")). Texts, here in English:"]
          + LanguageTexts.english.texts(of: kind, list: "{list}").map {
            "text.\($0.key): \($0.text)"
          }
          + (format == .text
            ? ["A line \"Subject: ...\" before this one replaces the subject."] : [])
        return (
          "\(kind.name).\(format.rawValue)",
          comments.map { "{{! \($0) }}\n" }.joined() + builtIn(kind, format)
        )
      }
    }

  /// Splits off a first line `Subject: …`.
  ///
  /// An empty comment replaces the line, so that positions in errors match the file.
  private static func split(_ source: String) -> (subject: String?, text: String) {
    let prefix = "Subject:"
    guard source.hasPrefix(prefix) else { return (nil, source) }
    let end = source.firstIndex(where: \.isNewline) ?? source.endIndex
    let subject = source[..<end].dropFirst(prefix.count).drop { $0 == " " }
    return (String(subject), "{{!}}" + source[end...])
  }
}
