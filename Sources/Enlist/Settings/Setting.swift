/// A setting: a flag, an environment variable, and a key of the settings file, each of them text.
struct Setting<Value: Sendable>: SettingRow {
  /// The flag without its hyphens, and the key in the file; `ENLIST_MAX_BODY` is `max-body`.
  let name: String
  /// The value while the setting is unset.
  let initial: Value
  let help: String
  private let kind: SettingKind<Value>

  init(_ name: String, _ initial: Value, _ kind: SettingKind<Value>, _ help: String) {
    (self.name, self.initial, self.kind, self.help) = (name, initial, kind, help)
  }

  init(_ name: String, _ kind: SettingKind<Value>, _ help: String)
  where Value: ExpressibleByNilLiteral {
    self.init(name, nil, kind, help)
  }

  var standard: String { kind.text(initial) }
  var isSecret: Bool { kind.isSecret }

  func value(of text: String) -> (any Sendable)? { kind.read(text) }
  func fault(of text: String) -> String { kind.fault(of: text) }
}

/// What a setting has whatever the type of its value.
protocol SettingRow: Sendable {
  var name: String { get }
  /// The text that stands for the value while the setting is unset.
  var standard: String { get }
  var help: String { get }
  /// Whether no message may contain the value.
  var isSecret: Bool { get }
  func value(of text: String) -> (any Sendable)?
  func fault(of text: String) -> String
}

/// The valid texts of a setting, and the values for which they stand.
struct SettingKind<Value: Sendable>: Sendable {
  let expected: String
  let isSecret: Bool
  /// `nil` if the text is invalid.
  let read: @Sendable (String) -> Value?
  /// Writes a default.
  let text: @Sendable (Value) -> String
  /// Says more than ``expected`` about some invalid texts.
  private let explain: @Sendable (String) -> String?

  init(
    _ expected: String, isSecret: Bool = false,
    explaining explain: @escaping @Sendable (String) -> String? = { _ in nil },
    _ read: @escaping @Sendable (String) -> Value?,
    text: @escaping @Sendable (Value) -> String = { "\($0)" }
  ) {
    (self.expected, self.isSecret) = (expected, isSecret)
    (self.explain, self.text, self.read) = (explain, text, read)
  }

  func fault(of text: String) -> String {
    let withoutPassword = URLPassword.hidden(in: text)
    if withoutPassword != text, read(withoutPassword) != nil {
      return "percent-encode the special characters of the password: / is %2F, and % is %25"
    }
    return explain(text) ?? "expected \(expected)"
  }
}

extension SettingKind {
  /// A value, or a word for none.
  static func optional<Wrapped>(_ kind: SettingKind<Wrapped>, or word: String = "none") -> Self
  where Value == Wrapped? {
    Self("\(word), or \(kind.expected)", isSecret: kind.isSecret, explaining: kind.explain) {
      $0 == word ? .some(nil) : kind.read($0).map(Optional.some)
    } text: { value in
      value.map { kind.text($0) } ?? word
    }
  }

  /// Elements separated by commas, or `none`; `word` stands for those of the default.
  static func list<Element>(
    _ expected: String, word: String = "none", _ read: @escaping @Sendable (Substring) -> [Element]?
  ) -> Self where Value == [Element] {
    Self("none, or \(expected)") { text in
      guard text != "none" else { return [] }
      let parts = text.split(separator: ",", omittingEmptySubsequences: false)
      let elements = parts.compactMap { part in read(part.drop { $0 == " " }) }
      return elements.count == parts.count ? elements.flatMap(\.self) : nil
    } text: { _ in
      word
    }
  }
}

extension SettingKind where Value: Equatable {
  static func words(_ values: KeyValuePairs<String, Value>) -> Self {
    Self("one of " + values.map(\.key).joined(separator: ", ")) { text in
      values.first { $0.key == text }?.value
    } text: { value in
      values.first { $0.value == value }?.key ?? ""
    }
  }
}

extension SettingKind where Value: CaseIterable {
  /// One of the cases of an enumeration.
  static func named(_ name: @escaping @Sendable (Value) -> String) -> Self {
    Self("one of " + Value.allCases.map(name).joined(separator: ", ")) { text in
      Value.allCases.first { name($0) == text }
    } text: {
      name($0)
    }
  }
}

extension SettingKind where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  static var choice: Self { named(\.rawValue) }
}
