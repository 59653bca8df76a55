internal import MailingList

extension LanguageTexts {
  /// The keys of the texts of mails, which begin with `mail.`, and then with the kind of mail unless
  /// all kinds have the text.
  private static let mailKeys = english.own.keys.filter { $0.hasPrefix("mail.") }.sorted()

  /// Returns the text of a key, which omits the kind of mail; `nil` if the key is unknown.
  func text(_ key: String, of kind: MailKind, list: String) -> String? {
    self["mail.\(kind.name).\(key)"]?.replacing("{list}", with: list)
  }

  /// Returns all texts of a kind of mail, sorted by their keys, which omit the kind.
  func texts(of kind: MailKind, list: String) -> [(key: String, text: String)] {
    Self.mailKeys.compactMap { key in
      let names = key.split(separator: ".").dropFirst()
      guard names.count == 1 || names.first == Substring(kind.name), let name = names.last,
        let text = self[key]
      else { return nil }
      return (String(name), text.replacing("{list}", with: list))
    }
    .sorted { $0.key < $1.key }
  }
}
