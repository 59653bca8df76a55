internal import Glibc

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
