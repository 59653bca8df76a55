internal import Glibc
internal import Platform

/// A point in Unix time with millisecond precision, as stored and shown.
package struct Timestamp: Hashable, Comparable, Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z, not counting leap seconds.
  package let millisecondsSince1970: Int64

  package init(millisecondsSince1970: Int64) {
    self.millisecondsSince1970 = millisecondsSince1970
  }

  /// The current time of the system clock; the corresponding C function is `clock_gettime`.
  package static var now: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(
      millisecondsSince1970: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }

  package static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.millisecondsSince1970 < right.millisecondsSince1970
  }
}

extension Timestamp: CustomStringConvertible {
  /// The timestamp in UTC in the format of RFC 3339, such as `2026-11-21T00:00:00.000Z`.
  package var description: String {
    let (days, milliseconds) = Self.split(millisecondsSince1970)
    let (year, month, day) = Self.civil(days: days)
    let second = milliseconds / 1000
    return String(unsafeUninitializedCapacity: 24) { buffer in
      var written = 0
      func write(_ number: Int64, digits: Int, then separator: UInt8) {
        var number = number
        for offset in stride(from: digits - 1, through: 0, by: -1) {
          buffer[written + offset] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10)
          number /= 10
        }
        buffer[written + digits] = separator
        written += digits + 1
      }
      write(min(max(year, 0), 9999), digits: 4, then: UInt8(ascii: "-"))
      write(month, digits: 2, then: UInt8(ascii: "-"))
      write(day, digits: 2, then: UInt8(ascii: "T"))
      write(second / 3600, digits: 2, then: UInt8(ascii: ":"))
      write(second / 60 % 60, digits: 2, then: UInt8(ascii: ":"))
      write(second % 60, digits: 2, then: UInt8(ascii: "."))
      write(milliseconds % 1000, digits: 3, then: UInt8(ascii: "Z"))
      return written
    }
  }

  /// Returns the whole days since 1970-01-01, rounded down, and the milliseconds of the day.
  ///
  /// No step overflows for any value that a store contains.
  private static func split(_ milliseconds: Int64) -> (days: Int64, rest: Int64) {
    let (days, rest) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
    return rest < 0 ? (days - 1, rest + 86_400_000) : (days, rest)
  }

  /// Returns the Gregorian date of a number of days since 1970-01-01.
  ///
  /// Years start in March, so that the leap day is the last day of a year; 400 years have 146,097
  /// days.
  private static func civil(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }
}

extension Timestamp {
  /// Returns the time after a duration, which may be negative; the earliest or latest timestamp on
  /// overflow.
  ///
  /// Less than a millisecond is ignored.
  package func adding(_ duration: Duration) -> Timestamp {
    let (seconds, attoseconds) = duration.components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    guard !overflow else { return seconds < 0 ? .distantPast : .distantFuture }
    return adding(milliseconds: whole).adding(milliseconds: attoseconds / 1_000_000_000_000_000)
  }

  package static let distantPast = Timestamp(millisecondsSince1970: .min)
  package static let distantFuture = Timestamp(millisecondsSince1970: .max)

  private func adding(milliseconds: Int64) -> Timestamp {
    let (sum, overflow) = millisecondsSince1970.addingReportingOverflow(milliseconds)
    guard !overflow else { return milliseconds < 0 ? .distantPast : .distantFuture }
    return Timestamp(millisecondsSince1970: sum)
  }
}

extension Timestamp {
  /// Parses the time of another list; `nil` if the text is none, or ambiguous such as `4/3/2021`.
  ///
  /// The formats are those of RFC 3339, also with a space before the time and without parts: a day,
  /// a minute, an offset, which is then UTC. Text after an offset, such as the name of a time zone,
  /// is ignored.
  package init?(importing text: String) {
    var rest = text.utf8[...]
    func skip(_ bytes: String) -> Bool {
      guard let byte = rest.first, bytes.utf8.contains(byte) else { return false }
      rest.removeFirst()
      return true
    }
    func number(_ digits: Int) -> Int64? {
      let part = rest.prefix(digits)
      guard part.count == digits, part.allSatisfy(\.isASCIIDigit) else {
        return nil
      }
      rest = rest.dropFirst(digits)
      return part.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }
    guard let year = number(4), skip("-"), let month = number(2), skip("-"), let day = number(2),
      (1...12).contains(month), (1...Self.length(ofMonth: month, in: year)).contains(day)
    else { return nil }
    var milliseconds = Self.days(year, month, day) * 86_400_000
    if skip("Tt ") {
      guard let hour = number(2), hour < 24, skip(":"), let minute = number(2), minute < 60 else {
        return nil
      }
      milliseconds += (hour * 60 + minute) * 60_000
      if skip(":") {
        // A leap second counts as the next one.
        guard let second = number(2), second <= 60 else { return nil }
        milliseconds += second * 1000
        if skip(".") {
          let digits = rest.prefix(while: \.isASCIIDigit)
          guard !digits.isEmpty else { return nil }
          rest = rest.dropFirst(digits.count)
          let padded = digits.prefix(3) + Array(repeating: 0x30, count: max(0, 3 - digits.count))
          milliseconds += padded.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
        }
      }
      _ = skip(" ")
      let isEast = rest.first == UInt8(ascii: "+")
      if !rest.isEmpty, !skip("Zz") {
        guard skip("+-"), let hours = number(2), hours < 24 else { return nil }
        _ = skip(":")
        let minutes = number(2) ?? 0
        milliseconds -= (isEast ? 1 : -1) * (hours * 60 + minutes) * 60_000
        guard rest.isEmpty || skip(" ") else { return nil }
      } else if !rest.isEmpty {
        return nil
      }
    } else if !rest.isEmpty {
      return nil
    }
    self.init(millisecondsSince1970: milliseconds)
  }

  private static func length(ofMonth month: Int64, in year: Int64) -> Int64 {
    let next = month == 12 ? days(year + 1, 1, 1) : days(year, month + 1, 1)
    return next - days(year, month, 1)
  }

  /// Returns the days from 1970-01-01 to a Gregorian date.
  ///
  /// Years start in March, so that the leap day is the last day of a year; 400 years have 146,097
  /// days.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let year = month <= 2 ? year - 1 : year
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
