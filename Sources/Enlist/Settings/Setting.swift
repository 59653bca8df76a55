/// One row of the table of settings: its name, its default and how its text becomes a value.
///
/// The name is the flag without its hyphens and the key in the file; the environment variable is
/// `ENLIST_` and the name in capitals.
struct Setting<Value: Sendable>: Sendable {
  /// The name, in words of lower case joined by hyphens.
  let name: String
  /// What the setting is when nobody sets it.
  let fallback: Value
  /// The default as `--help` shows it.
  let fallbackText: String
  /// What it does, for `--help`.
  let meaning: String
  /// What is allowed, as it ends the line that rejects a value: "allowed is …".
  let allowed: String
  /// Makes a value of text, or tells by `nil` that it is not allowed.
  let convert: @Sendable (String) -> Value?
}

/// What of a setting does not depend on the type of its value.
protocol SettingRow: Sendable {
  /// The name, in words of lower case joined by hyphens.
  var name: String { get }
  /// The default as `--help` shows it.
  var fallbackText: String { get }
  /// What it does, for `--help`.
  var meaning: String { get }
  /// Whether the default, as `--help` shows it, is text that the setting accepts.
  var acceptsFallbackText: Bool { get }
}

extension Setting: SettingRow {
  var acceptsFallbackText: Bool { convert(fallbackText) != nil }
}

extension Setting where Value == Int {
  /// A row whose value is a whole number.
  init(name: String, fallback: Int, meaning: String, within range: ClosedRange<Int>) {
    self.init(
      name: name,
      fallback: fallback,
      fallbackText: String(fallback),
      meaning: meaning,
      allowed: "a whole number from \(range.lowerBound) to \(range.upperBound)",
      convert: { text in Int(text).flatMap { range.contains($0) ? $0 : nil } }
    )
  }
}

extension Setting where Value == Duration {
  /// A row whose value is a time.
  init(name: String, fallback: Duration, meaning: String, within range: ClosedRange<Duration>) {
    let lowest = DurationText.text(of: range.lowerBound)
    let highest = DurationText.text(of: range.upperBound)
    self.init(
      name: name,
      fallback: fallback,
      fallbackText: DurationText.text(of: fallback),
      meaning: meaning,
      allowed: "a time such as 250ms, 30s, 5m or 1h, from \(lowest) to \(highest)",
      convert: { text in DurationText.duration(of: text).flatMap { range.contains($0) ? $0 : nil } }
    )
  }
}

extension Setting where Value == ClosedRange<Duration> {
  /// A row whose value is a range of times.
  init(
    name: String,
    fallback: ClosedRange<Duration>,
    meaning: String,
    within range: ClosedRange<Duration>
  ) {
    let lowest = DurationText.text(of: range.lowerBound)
    let highest = DurationText.text(of: range.upperBound)
    let fallbackText =
      DurationText.text(of: fallback.lowerBound) + ".." + DurationText.text(of: fallback.upperBound)
    self.init(
      name: name,
      fallback: fallback,
      fallbackText: fallbackText,
      meaning: meaning,
      allowed: "a time, or two such as \(fallbackText), from \(lowest) to \(highest)",
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
  init(name: String, fallback: Value, meaning: String) {
    self.init(
      name: name,
      fallback: fallback,
      fallbackText: fallback.rawValue,
      meaning: meaning,
      allowed: Value.allCases.map(\.rawValue).joined(separator: ", "),
      convert: { Value(rawValue: $0) }
    )
  }
}
