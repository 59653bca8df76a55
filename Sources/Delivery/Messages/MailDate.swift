internal import MailingList

/// The date and time of a message (RFC 5322 §3.3).
enum MailDate {
  /// Formats a time in UTC as 31 ASCII characters, such as `Sun, 22 Nov 2026 08:00:00 +0000`.
  static func text(of time: Timestamp) -> String {
    // For example, 2026-11-22T08:00:00.000Z.
    let parts = time.description.split { "-T.".contains($0) }
    guard parts.count >= 4, let month = Int(parts[1]), months.indices ~= month - 1 else {
      return ""
    }
    let (days, rest) = time.millisecondsSince1970.quotientAndRemainder(dividingBy: 86_400_000)
    // 1970-01-01 was a Thursday.
    let weekday = ((rest < 0 ? days - 1 : days) % 7 + 7) % 7
    return
      "\(weekdays[Int(weekday)]), \(parts[2]) \(months[month - 1]) \(parts[0]) \(parts[3]) +0000"
  }

  private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}
