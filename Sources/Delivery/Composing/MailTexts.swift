internal import ASCII
internal import CResources
internal import FoundationEssentials
internal import MailingList

/// The texts of mails in one language.
///
/// To add a language, add a file to `Texts` and a line to ``builtIn``.
package struct MailTexts: Sendable {
  /// The language tag (BCP 47).
  let language: String
  private let texts: [String: String]

  /// The texts of all languages that the program contains; English is first because it is the
  /// default.
  static let builtIn: [MailTexts] = [
    MailTexts("en", resource_mail_texts_en()),
    MailTexts("de", resource_mail_texts_de()),
    MailTexts("es", resource_mail_texts_es()),
    MailTexts("fr", resource_mail_texts_fr()),
    MailTexts("zh-Hans", resource_mail_texts_zh_hans()),
  ]

  private init(_ language: String, _ json: Resource) {
    self.language = language
    // A file that cannot be parsed yields no texts; a test checks all files.
    texts = (try? JSONDecoder().decode([String: String].self, from: Data(json.bytes))) ?? [:]
  }

  private init(_ language: String, _ texts: [String: String]) {
    self.language = language
    self.texts = texts
  }

  /// Returns the texts of all languages with the owner's, by language tag and key, which replace
  /// them or add a language; a missing text of a new language is in English.
  static func all(with own: [String: [String: String]]) -> [MailTexts] {
    var all = builtIn.map { texts in
      MailTexts(texts.language, texts.texts.merging(own[texts.language] ?? [:]) { $1 })
    }
    for (language, texts) in own.sorted(by: { $0.key < $1.key })
    where !all.contains(where: { $0.language == language }) {
      all.append(MailTexts(language, all[0].texts.merging(texts) { $1 }))
    }
    return all
  }

  /// Returns the texts for a requested language: those of the language, otherwise the first of the
  /// same primary language, such as `zh-Hans` for `zh-CN`, otherwise English.
  ///
  /// - Parameter locale: A language tag (BCP 47); `nil` if none was requested.
  static func matching(_ locale: String?, in all: [MailTexts]) -> MailTexts {
    guard let locale else { return all[0] }
    return all.first { $0.language.lowercased() == locale.lowercased() }
      ?? all.first { primary($0.language) == primary(locale) } ?? all[0]
  }

  /// The keys of all texts, which begin with `mail.`, and then with the kind of mail unless all
  /// kinds have the text.
  package static let keys = builtIn[0].keys

  var keys: Set<String> { Set(texts.keys) }

  /// Returns the text of a key, which omits the kind of mail; `nil` if the key is unknown.
  func text(_ key: String, of kind: MailKind, list: String) -> String? {
    texts["mail.\(kind.name).\(key)"]?.replacing("{list}", with: list)
  }

  /// Returns all texts of a kind of mail, sorted by their keys, which omit the kind.
  func texts(of kind: MailKind, list: String) -> [(key: String, text: String)] {
    texts.compactMap { key, text in
      let names = key.split(separator: ".").dropFirst()
      guard names.count == 1 || names.first == Substring(kind.name), let name = names.last else {
        return nil
      }
      return (String(name), text.replacing("{list}", with: list))
    }
    .sorted { $0.key < $1.key }
  }

  private static func primary(_ tag: String) -> String {
    tag.prefix { $0 != "-" && $0 != "_" }.lowercased()
  }
}
