/// Units of whole numbers, the smallest first.
private struct Units {
  let all: [(suffix: String, factor: Int64)]

  func value(of text: some StringProtocol) -> Int64? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let suffix = text.dropFirst(digits.count)
    guard let count = Int64(digits), let unit = all.first(where: { $0.suffix == suffix })
    else { return nil }
    let (value, overflow) = count.multipliedReportingOverflow(by: unit.factor)
    return overflow ? nil : value
  }

  /// Formats a value in the largest unit that divides it.
  func text(of value: Int64) -> String? {
    all.last { value.isMultiple(of: $0.factor) }.map { "\(value / $0.factor)\($0.suffix)" }
  }
}

/// The text format of numbers of bytes in settings: `4096`, `16KiB` or `1MiB`.
enum ByteText {
  private static let units = Units(
    all: [("", 1), ("KiB", 1024), ("MiB", 1_048_576), ("GiB", 1_073_741_824)])

  static func count(of text: String) -> Int? { units.value(of: text).map { Int($0) } }
  static func text(of count: Int) -> String { units.text(of: Int64(count)) ?? "\(count)" }
}

/// The text format of durations in settings: `250ms`, `30s`, `5m`, `1h`, `7d`, ranges like `8m..10m`,
/// and counts for a duration like `30/10m`.
enum DurationText {
  private static let units = Units(
    all: [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)])

  /// Parses a whole number and a unit, at most a hundred years; `0` needs no unit.
  static func duration(of text: some StringProtocol) -> Duration? {
    if !text.isEmpty, text.allSatisfy({ $0 == "0" }) { return .zero }
    guard let milliseconds = units.value(of: text), milliseconds <= 100 * 366 * 86_400_000
    else { return nil }
    return .milliseconds(milliseconds)
  }

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

  static func count(
    of text: String, within counts: ClosedRange<Int>, per durations: ClosedRange<Duration>
  ) -> (count: Int, duration: Duration)? {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].allSatisfy({ $0.isASCII && $0.isNumber }),
      let count = Int(parts[0]), counts.contains(count),
      let duration = duration(of: parts[1]), durations.contains(duration)
    else { return nil }
    return (count, duration)
  }

  /// Formats a duration of whole milliseconds.
  static func text(of duration: Duration) -> String {
    let parts = duration.components
    let milliseconds = parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000
    return milliseconds == 0 ? "0s" : units.text(of: milliseconds) ?? "\(milliseconds)ms"
  }
}
