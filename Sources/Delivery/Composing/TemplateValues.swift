internal import Locks
internal import MailingList
internal import Mustache

/// The values of a template by name, and the names that it used although they have none.
final class TemplateValues: MustacheParent, Sendable {
  private let values: [String: String]
  private let texts: TemplateTexts
  private let unknown = Lock<[String]>([])

  /// The names that have a value only in some mails.
  private static let optional: Set<String> = ["confirmURL", "code", "footer"]

  /// Makes the values of one mail.
  ///
  /// - Parameter values: The values by name; one that is missing or empty hides its section.
  init(_ values: [String: String], _ texts: MailTexts, _ kind: MailKind, list: String) {
    self.values = values.filter { !$0.value.isEmpty }
    self.texts = TemplateTexts(texts: texts, kind: kind, list: list)
  }

  /// The names that the template used and that do not exist, in the order of their use.
  var unknownNames: [String] {
    unknown.withLock { $0 } + texts.unknown.withLock { $0.map { "text.\($0)" } }
  }

  /// Returns the value of a name; called by the template.
  func child(named name: String) -> Any? {
    if name == "text" { return texts }
    if let value = values[name] { return value }
    if !Self.optional.contains(name) { unknown.withLock { $0.append(name) } }
    return nil
  }
}

/// The texts of a language, as `text.*` in a template.
private final class TemplateTexts: MustacheParent, Sendable {
  let texts: MailTexts
  let kind: MailKind
  let list: String
  let unknown = Lock<[String]>([])

  init(texts: MailTexts, kind: MailKind, list: String) {
    self.texts = texts
    self.kind = kind
    self.list = list
  }

  func child(named name: String) -> Any? {
    if let text = texts.text(name, of: kind, list: list) { return text }
    unknown.withLock { $0.append(name) }
    return nil
  }
}
