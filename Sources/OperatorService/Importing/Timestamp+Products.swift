internal import MailingList

extension Timestamp {
  /// Parses a time as spreadsheets and other products write it; `nil` if it is none, or ambiguous.
  ///
  /// Beside the formats of ``init(importing:)``: slashes after a year, hours of one digit, AM and PM,
  /// and UTC or GMT, also before an offset in hours, such as `2021/03/04 5:06:07 PM GMT+1`.
  init?(ofProduct text: String) {
    if let time = Timestamp(importing: text) {
      self = time
      return
    }
    var words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    var offset = ""
    if let last = words.last, last.hasPrefix("UTC") || last.hasPrefix("GMT") {
      words.removeLast()
      let hours = last.dropFirst(4)
      offset = last.dropFirst(3).prefix(1) + Self.padded(hours)
    }
    if let half = words.last?.uppercased(), half == "AM" || half == "PM", words.count == 3 {
      words.removeLast()
      let hour = words[1].prefix { $0 != ":" }
      guard let number = Int(hour), (1...12).contains(number) else { return nil }
      words[1] = "\(number % 12 + (half == "PM" ? 12 : 0))" + words[1].dropFirst(hour.count)
    }
    guard let day = words.first else { return nil }
    let parts = day.split(separator: "/", omittingEmptySubsequences: false)
    if parts.count == 3, parts[0].count == 4 {
      words[0] = "\(parts[0])-\(Self.padded(parts[1]))-\(Self.padded(parts[2]))"
    }
    if words.count == 2, words[1].dropFirst().first == ":" { words[1] = "0" + words[1] }
    self.init(importing: words.joined(separator: " ") + offset)
  }

  private static func padded(_ digits: Substring) -> String {
    digits.count == 1 ? "0\(digits)" : String(digits)
  }
}
