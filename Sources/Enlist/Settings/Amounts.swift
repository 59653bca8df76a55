internal import HTTPSignals
internal import MailingList

/// A number of bytes, written in settings as `4096`, `16KiB` or `1MiB`.
struct ByteCount: Hashable, Sendable {
  var bytes: Int

  init(bytes: Int) {
    self.bytes = bytes
  }

  /// Parses a whole number, optionally followed by `KiB`, `MiB` or `GiB` (powers of 1024); `nil` if
  /// the text is invalid.
  ///
  /// `KB` is rejected because it is ambiguous.
  init?(_ text: String) {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let factor: Int
    switch text.dropFirst(digits.count) {
    case "": factor = 1
    case "KiB": factor = 1024
    case "MiB": factor = 1024 * 1024
    case "GiB": factor = 1024 * 1024 * 1024
    default: return nil
    }
    guard let count = Int(digits) else { return nil }
    let (bytes, overflow) = count.multipliedReportingOverflow(by: factor)
    guard !overflow else { return nil }
    self.bytes = bytes
  }
}

/// The text format of durations in settings: `250ms`, `30s`, `5m`, `1h`, `7d`, ranges like `8m..10m`,
/// and counts for a duration like `30/10m`.
enum DurationText {
  private static let units: [(suffix: String, milliseconds: Int64)] = [
    ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
  ]

  /// Parses a whole number and a unit without spaces; `0` needs no unit.
  ///
  /// Returns `nil` if the text is invalid or exceeds a hundred years.
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

  /// Parses a range of durations; `nil` if the text is invalid or the bounds are in the wrong
  /// order.
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

  /// Parses a number, a slash and a duration; `nil` if the text is invalid or out of bounds.
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

  /// Formats a duration of whole milliseconds in the largest unit that divides it;
  /// ``duration(of:)`` parses the result.
  static func text(of duration: Duration) -> String {
    let parts = duration.components
    let milliseconds = parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000
    guard milliseconds != 0, let unit = units.last(where: { milliseconds % $0.milliseconds == 0 })
    else { return "0s" }
    return "\(milliseconds / unit.milliseconds)\(unit.suffix)"
  }
}

extension RequestRate {
  /// Parses `off`, or a number, a slash and a duration: `30/10m`; `nil` if the text is invalid.
  init?(_ text: String) {
    guard text != "off" else {
      self = .unlimited
      return
    }
    let times = Duration.seconds(1) ... .seconds(86_400)
    guard let (count, time) = DurationText.count(of: text, within: 1...10_000, per: times)
    else { return nil }
    self = .limited(count: count, per: time)
  }
}

extension MailBudget {
  /// Parses a number, a slash and a duration of whole hours: `500/1d`; `nil` if the text is invalid.
  init?(_ text: String) {
    let periods = .seconds(3600)...MailBudgets.countedPeriod
    guard let (count, time) = DurationText.count(of: text, within: 1...1_000_000, per: periods),
      time.components.seconds.isMultiple(of: 3600)
    else { return nil }
    self.init(count: count, per: time)
  }
}
