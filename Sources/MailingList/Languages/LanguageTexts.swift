internal import Platform
internal import CResources

/// The texts of pages, problems and mails in one language, by key.
///
/// To add a language, add a file next to this one, a line to `CResources`, and one to ``builtIn``.
package struct LanguageTexts: Sendable {
  /// The language tag (BCP 47).
  package let language: String
  /// The texts of the language itself.
  package let own: [String: String]
  /// The texts with English ones for missing keys.
  private let texts: [String: String]

  /// The English texts of the program; they are complete.
  package static let english = LanguageTexts("en", resource_texts_en())

  /// The texts of all languages that the program contains; English is first because it is the
  /// default.
  package static let builtIn: [LanguageTexts] = [
    english,
    LanguageTexts("de", resource_texts_de()),
    LanguageTexts("fr", resource_texts_fr()),
    LanguageTexts("es", resource_texts_es()),
    LanguageTexts("zh-Hans", resource_texts_zh_hans()),
  ]

  private init(_ language: String, _ json: Resource) {
    // A file that cannot be parsed yields no texts; a test checks all files.
    let own = (JSON(json.bytes) ?? [:]).members.compactMap { name, value in
      value.text.map { (name, $0) }
    }
    self.init(
      language, Dictionary(own) { first, _ in first },
      otherwise: language == "en" ? nil : .english)
  }

  private init(_ language: String, _ own: [String: String], otherwise english: LanguageTexts?) {
    self.language = language
    self.own = own
    texts = own.merging(english?.own ?? [:]) { own, _ in own }
  }

  /// Returns the texts of all languages with the owner's, by language tag and key, which replace
  /// them or add a language.
  package static func all(with owners: [String: [String: String]]) -> [LanguageTexts] {
    guard !owners.isEmpty else { return builtIn }
    var all: [LanguageTexts] = []
    for texts in builtIn {
      let own = texts.own.merging(owners[texts.language] ?? [:]) { $1 }
      all.append(LanguageTexts(texts.language, own, otherwise: all.first))
    }
    for (language, own) in owners.sorted(by: { $0.key < $1.key })
    where !all.contains(where: { $0.language == language }) {
      all.append(LanguageTexts(language, own, otherwise: all.first))
    }
    return all
  }

  package subscript(key: String) -> String? { texts[key] }

  /// The keys of the texts that every language of the program has; the others are for programs.
  package static let translatedKeys = builtIn.reduce(Set(english.own.keys)) { keys, texts in
    keys.intersection(texts.own.keys)
  }
}
