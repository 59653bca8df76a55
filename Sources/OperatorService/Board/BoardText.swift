internal import MailingList

// The words of the board for numbers and times. Formatters of the system need data that images do
// not have.

extension Int {
  /// The number with commas between groups of three digits, such as `1,204`.
  var grouped: String {
    let digits = Array(String(magnitude))
    var text = self < 0 ? "−" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return text
  }

  /// The number with a noun, such as `1 mail` or `2 mails`.
  func of(_ noun: String) -> String { "\(grouped) \(noun)\(self == 1 ? "" : "s")" }
}

extension Duration {
  /// The duration in its two largest units, such as `1 h 5 min`.
  var short: String {
    let minutes = components.seconds / 60
    return switch minutes {
    case ..<1: "\(components.seconds) s"
    case ..<60: "\(minutes) min"
    case ..<1440: minutes % 60 == 0 ? "\(minutes / 60) h" : "\(minutes / 60) h \(minutes % 60) min"
    default:
      minutes / 60 % 24 == 0
        ? "\(minutes / 1440) d" : "\(minutes / 1440) d \(minutes / 60 % 24) h"
    }
  }
}

extension Timestamp {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Creates the time of an hour since 1970.
  init(hour: Int64) {
    self.init(millisecondsSince1970: hour &* 3_600_000)
  }

  /// The day, such as `Nov 26`.
  var day: String {
    let text = Array(description)
    let month = Int(String(text[5..<7])).flatMap { Self.months.indices.contains($0 - 1) ? $0 : nil }
    return "\(Self.months[(month ?? 1) - 1]) \(Int(String(text[8..<10])) ?? 0)"
  }

  /// The time of the day in UTC, such as `13:02`.
  var clock: String { String(Array(description)[11..<16]) }

  /// The time as a person says it at a moment: without the day if it is the same.
  func spoken(at now: Timestamp) -> String { "\(short(at: now)) UTC" }

  /// The same without the name of the time zone.
  func short(at now: Timestamp) -> String { day == now.day ? clock : "\(day), \(clock)" }
}

extension ListEvent.Kind {
  /// The words of the board.
  var words: String {
    switch self {
    case .requested: "signed up"
    case .confirmed: "confirmed"
    case .unsubscribed: "left"
    case .suppressed: "suppressed"
    case .released: "may come back"
    case .imported: "imported"
    case .expired: "expired"
    case .erased: "erased"
    case .mailAccepted: "mail accepted"
    case .mailRejected: "mail rejected"
    }
  }
}

extension Subscriber {
  /// The address without the name, such as `a…@example.org`.
  var maskedAddress: String {
    guard let at = address.lastIndex(of: "@") else { return "…" }
    return "\(address.prefix(1))…\(address[at...])"
  }
}
