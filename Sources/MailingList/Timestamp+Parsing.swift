internal import Platform

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
