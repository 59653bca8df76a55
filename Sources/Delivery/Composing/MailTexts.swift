internal import ASCII
internal import CResources
internal import Foundation
internal import MailingList

/// The texts of mails in one language.
///
/// To add a language, add a file to `Texts` and a line to ``all``.
struct MailTexts: Sendable {
  /// The language tag (BCP 47).
  let language: String
  private let texts: [String: String]

  /// The texts of all languages; English is first because it is the default.
  static let all: [MailTexts] = [
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

  /// Returns the texts for a requested language: the first of the same primary language, such as
  /// `zh-Hans` for `zh-CN`, otherwise English.
  ///
  /// - Parameter locale: A language tag (BCP 47); `nil` if none was requested.
  static func matching(_ locale: String?) -> MailTexts {
    guard let locale else { return all[0] }
    return all.first { primary($0.language) == primary(locale) } ?? all[0]
  }

  /// The keys of all texts, which begin with the kind of mail.
  var keys: Set<String> { Set(texts.keys) }

  /// Returns the text of a key, which omits the kind of mail; `nil` if the key is unknown.
  func text(_ key: String, of kind: MailKind, list: String) -> String? {
    texts["\(kind.name).\(key)"]?.replacing("{list}", with: list)
  }

  /// Returns all texts of a kind of mail, sorted by their keys, which omit the kind.
  func texts(of kind: MailKind, list: String) -> [(key: String, text: String)] {
    let prefix = "\(kind.name)."
    return texts.filter { $0.key.hasPrefix(prefix) }
      .map { (String($0.key.dropFirst(prefix.count)), $0.value.replacing("{list}", with: list)) }
      .sorted { $0.key < $1.key }
  }

  private static func primary(_ tag: String) -> String {
    tag.prefix { $0 != "-" && $0 != "_" }.lowercased()
  }
}
