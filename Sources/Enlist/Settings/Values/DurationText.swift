/// Times as people write them in settings: `250ms`, `30s`, `5m`, `1h`, and ranges `8m..10m`.
enum DurationText {
  private static let units: [(suffix: String, milliseconds: Int64)] = [
    ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000),
  ]

  /// Reads a time.
  ///
  /// - Parameter text: A whole number and its unit, nothing around or between; `0` needs none.
  /// - Returns: The time, or `nil` when the text is none or more than a hundred years.
  static func duration(of text: some StringProtocol) -> Duration? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard let count = Int64(digits) else { return nil }
    let suffix = text.dropFirst(digits.count)
    if suffix.isEmpty { return count == 0 ? .zero : nil }
    guard let unit = units.first(where: { $0.suffix == suffix }) else { return nil }
    let (milliseconds, overflow) = count.multipliedReportingOverflow(by: unit.milliseconds)
    guard !overflow, milliseconds <= 100 * 366 * 86_400_000 else { return nil }
    return .milliseconds(milliseconds)
  }

  /// Reads a range of times.
  ///
  /// - Parameter text: Two times with `..` between them, or one time, which is both.
  /// - Returns: The range, or `nil` when the text is none or its end is before its beginning.
  static func range(of text: some StringProtocol) -> ClosedRange<Duration>? {
    guard let separator = text.firstIndex(of: ".") else {
      return duration(of: text).map { $0...$0 }
    }
    guard text[separator...].hasPrefix(".."),
      let lower = duration(of: text[..<separator]),
      let upper = duration(of: text[separator...].dropFirst(2)),
      lower <= upper
    else { return nil }
    return lower...upper
  }

  /// Writes a time so that ``duration(of:)`` reads it again, in the largest unit that fits.
  ///
  /// - Parameter duration: The time, of whole milliseconds.
  /// - Returns: Its text.
  static func text(of duration: Duration) -> String {
    let parts = duration.components
    let milliseconds = parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000
    guard milliseconds != 0, let unit = units.last(where: { milliseconds % $0.milliseconds == 0 })
    else { return "0s" }
    return "\(milliseconds / unit.milliseconds)\(unit.suffix)"
  }
}
