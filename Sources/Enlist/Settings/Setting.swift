/// One row of the table of settings: its name, its default and how its text becomes a value.
///
/// The name is the flag without its hyphens and the key in the file; the environment variable is
/// `ENLIST_` and the name in capitals.
struct Setting<Value: Sendable>: Sendable {
  /// The name, in words of lower case joined by hyphens.
  let name: String
  /// What the setting is when nobody sets it.
  let defaultValue: Value
  /// The default as `--help` shows it.
  let defaultText: String
  /// What it does, for `--help`.
  let meaning: String
  /// What is allowed, as it ends the line that rejects a value: "allowed is …".
  let expected: String
  /// Makes a value of text, or tells by `nil` that it is not allowed.
  let convert: @Sendable (String) -> Value?
}

/// What of a setting does not depend on the type of its value.
protocol SettingRow: Sendable {
  /// The name, in words of lower case joined by hyphens.
  var name: String { get }
  /// The default as `--help` shows it.
  var defaultText: String { get }
  /// What it does, for `--help`.
  var meaning: String { get }
  /// Whether the default, as `--help` shows it, is text that the setting accepts.
  var acceptsDefaultText: Bool { get }
}

extension Setting: SettingRow {
  var acceptsDefaultText: Bool { convert(defaultText) != nil }
}

extension Setting where Value == Int {
  /// A row whose value is a whole number.
  init(name: String, defaultValue: Int, meaning: String, within range: ClosedRange<Int>) {
    self.init(
      name: name,
      defaultValue: defaultValue,
      defaultText: String(defaultValue),
      meaning: meaning,
      expected: "a whole number from \(range.lowerBound) to \(range.upperBound)",
      convert: { text in Int(text).flatMap { range.contains($0) ? $0 : nil } }
    )
  }
}

extension Setting where Value == Duration {
  /// A row whose value is a time.
  init(name: String, defaultValue: Duration, meaning: String, within range: ClosedRange<Duration>) {
    let lowest = DurationText.text(of: range.lowerBound)
    let highest = DurationText.text(of: range.upperBound)
    self.init(
      name: name,
      defaultValue: defaultValue,
      defaultText: DurationText.text(of: defaultValue),
      meaning: meaning,
      expected: "a time such as 250ms, 30s, 5m or 1h, from \(lowest) to \(highest)",
      convert: { text in DurationText.duration(of: text).flatMap { range.contains($0) ? $0 : nil } }
    )
  }
}

extension Setting where Value == ClosedRange<Duration> {
  /// A row whose value is a range of times.
  init(
    name: String,
    defaultValue: ClosedRange<Duration>,
    meaning: String,
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
      expected: "a time, or two such as \(defaultText), from \(lowest) to \(highest)",
      convert: { text in
        DurationText.range(of: text).flatMap { times in
          range.contains(times.lowerBound) && range.contains(times.upperBound) ? times : nil
        }
      }
    )
  }
}

extension Setting where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  /// A row whose value is one of a few words.
  init(name: String, defaultValue: Value, meaning: String) {
    self.init(
      name: name,
      defaultValue: defaultValue,
      defaultText: defaultValue.rawValue,
      meaning: meaning,
      expected: Value.allCases.map(\.rawValue).joined(separator: ", "),
      convert: { Value(rawValue: $0) }
    )
  }
}
