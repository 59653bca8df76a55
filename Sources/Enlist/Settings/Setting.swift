/// A row of the settings table: a name, a default and a conversion from text to a value.
///
/// The name is the flag without its two leading hyphens, and the key in the settings file. The
/// environment variable is `ENLIST_` followed by the name in upper case, with underscores for
/// hyphens.
struct Setting<Value: Sendable>: Sendable {
  /// Lowercase words joined by hyphens.
  let name: String
  /// The value used when the setting is unset.
  let defaultValue: Value
  /// The default in the format of `--help`.
  let defaultText: String
  /// The description of the setting for `--help` and `docs/settings.md`, in Markdown.
  let meaning: String
  /// The description of valid values, which ends the message that rejects a value: "expected …".
  let expected: String
  /// Converts text to a value; `nil` if the text is invalid.
  let convert: @Sendable (String) -> Value?
  /// Whether messages must not contain the value.
  var isSecret = false
}

/// The part of a setting that does not depend on the type of its value.
protocol SettingRow: Sendable {
  /// Lowercase words joined by hyphens.
  var name: String { get }
  /// The default in the format of `--help`.
  var defaultText: String { get }
  /// The description of the setting for `--help` and `docs/settings.md`, in Markdown.
  var meaning: String { get }
  /// The description of valid values, which ends the message that rejects a value.
  var expected: String { get }
  /// Whether messages must not contain the value.
  var isSecret: Bool { get }
  /// Returns whether a text can be converted to a value.
  func accepts(_ text: String) -> Bool
  /// Converts a text to a value; without a valid text, the default applies.
  func value(of text: String?) -> any Sendable
}

extension Setting: SettingRow {
  func accepts(_ text: String) -> Bool { convert(text) != nil }

  func value(of text: String?) -> any Sendable { text.flatMap(convert) ?? defaultValue }
}

extension Setting {
  /// Creates a row for a value that may be unset, for which it has a word.
  init<Wrapped: Sendable>(
    name: String, defaultValue: Wrapped? = nil, unset: String = "none", defaultText: String? = nil,
    meaning: String, expected: String, isSecret: Bool = false,
    convert: @escaping @Sendable (String) -> Wrapped?
  ) where Value == Wrapped? {
    self.init(
      name: name, defaultValue: defaultValue, defaultText: defaultText ?? unset, meaning: meaning,
      expected: expected,
      convert: { text in text == unset ? .some(nil) : convert(text).map { .some($0) } },
      isSecret: isSecret)
  }
}

extension Setting where Value == Int {
  /// Creates a row for a whole number.
  init(name: String, defaultValue: Int, meaning: String, within range: ClosedRange<Int>) {
    self.init(
      name: name, defaultValue: defaultValue, defaultText: String(defaultValue), meaning: meaning,
      expected: "a whole number from \(range.lowerBound) to \(range.upperBound)",
      convert: { text in Int(text).flatMap { range.contains($0) ? $0 : nil } })
  }
}

extension Setting where Value == Duration {
  /// Creates a row for a duration.
  init(name: String, defaultValue: Duration, meaning: String, within range: ClosedRange<Duration>) {
    let lowest = DurationText.text(of: range.lowerBound)
    let highest = DurationText.text(of: range.upperBound)
    self.init(
      name: name, defaultValue: defaultValue, defaultText: DurationText.text(of: defaultValue),
      meaning: meaning,
      expected: "a duration such as 250ms, 30s, 5m or 1h, from \(lowest) to \(highest)",
      convert: { text in DurationText.duration(of: text).flatMap { range.contains($0) ? $0 : nil } }
    )
  }
}

extension Setting where Value == ClosedRange<Duration> {
  /// Creates a row for a range of durations.
  init(
    name: String, defaultValue: ClosedRange<Duration>, meaning: String,
    within range: ClosedRange<Duration>
  ) {
    let lowest = DurationText.text(of: range.lowerBound)
    let highest = DurationText.text(of: range.upperBound)
    let defaultText =
      DurationText.text(of: defaultValue.lowerBound) + ".."
      + DurationText.text(of: defaultValue.upperBound)
    self.init(
      name: name,
      defaultValue: defaultValue,
      defaultText: defaultText,
      meaning: meaning,
      expected:
        "a duration, or a range such as \(defaultText), from \(lowest) to \(highest)",
      convert: { text in
        DurationText.range(of: text).flatMap { times in
          range.contains(times.lowerBound) && range.contains(times.upperBound) ? times : nil
        }
      }
    )
  }
}

extension Setting where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  /// Creates a row for one of a few words.
  init(name: String, defaultValue: Value, meaning: String) {
    self.init(
      name: name, defaultValue: defaultValue, defaultText: defaultValue.rawValue, meaning: meaning,
      expected: "one of " + Value.allCases.map(\.rawValue).joined(separator: ", "),
      convert: { Value(rawValue: $0) })
  }
}
