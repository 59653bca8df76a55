internal import HTTPSignals
internal import MailingList

/// The output format of an export, with one record per subscriber, each with a line end.
enum ExportFormat: String, CaseIterable, Sendable {
  /// CSV (RFC 4180) with a header.
  case csv
  /// One JSON object per line.
  case ndjson

  /// A column or a member.
  typealias Column = (name: String, value: String?)

  /// The names of the columns or members, in order.
  static let columns = [
    "id", "address", "state", "locale", "created_at", "confirmed_at", "unsubscribed_at", "reason",
  ]

  /// The name of the column or member of a link to leave, the last of an export with links.
  static let linkColumn = "unsubscribe_url"

  /// Returns the text before the first record.
  func header(with more: [String] = []) -> String {
    self == .csv ? CSV.record(Self.columns + more) : ""
  }

  /// - Parameter more: The columns after those of every export.
  func record(of subscriber: Subscriber, with more: [Column] = []) -> String {
    let columns = Self.columns(of: subscriber) + more
    switch self {
    case .csv: return CSV.record(["\(subscriber.id)"] + columns.map { $0.value ?? "" })
    case .ndjson: return JSONText.line { $0.subscriber(subscriber, columns) } + "\n"
    }
  }

  /// The text of NDJSON before and after the consents of a subscriber, which commas separate.
  ///
  /// CSV has no column for consents, nor for what else the list has about a person.
  static func record(
    around subscriber: Subscriber, with more: [Column], and person: PersonRecord?
  ) -> (opening: String, closing: String) {
    let record = JSONText.line { object in
      object.subscriber(subscriber, Self.columns(of: subscriber) + more)
      if let person { object.person(person) }
      object.member("consents", [])
    }
    return (String(record.dropLast(2)), "]}\n")
  }

  /// The columns of a subscriber except the first, in order.
  private static func columns(of subscriber: Subscriber) -> [Column] {
    let texts: [String?] = [
      subscriber.address, subscriber.state.name, subscriber.locale,
      "\(subscriber.createdAt)", subscriber.confirmedAt.map { "\($0)" },
      subscriber.unsubscribedAt.map { "\($0)" }, subscriber.suppression?.name,
    ]
    return zip(columns.dropFirst(), texts).map { ($0, $1) }
  }
}

extension JSONText {
  /// An object in one line.
  static func line(_ members: (inout JSONObject) -> Void) -> String {
    var json = JSONText(escaping: .line)
    json.object(members)
    return String(decoding: json.bytes, as: UTF8.self)
  }
}

extension JSONObject {
  fileprivate mutating func subscriber(_ subscriber: Subscriber, _ columns: [ExportFormat.Column]) {
    member("id", Int(subscriber.id))
    for column in columns { member(named: column.name, column.value) }
  }

  fileprivate mutating func person(_ person: PersonRecord) {
    member("suppressed_at", person.membership.suppressedAt.map { "\($0)" })
    object("mails") { mails in
      mails.array("waiting", person.unsentMails) { mail, object in
        object.member("kind", mail.kind.name)
        object.member("created_at", "\(mail.createdAt)")
        object.member("is_held", mail.isHeld)
        object.member("attempts", mail.attempts)
        object.member("last_error", mail.lastError)
      }
      if let times = person.mailTimes { mails.member("last", times.map { "\($0)" }) }
    }
  }
}

/// Comma-separated values (RFC 4180) that are safe to open in a spreadsheet.
enum CSV {
  static func record(_ cells: [String]) -> String {
    cells.map(cell).joined(separator: ",") + "\r\n"
  }

  /// Formats a cell, in quotes if needed, and with an apostrophe if a spreadsheet would treat it as
  /// a formula.
  ///
  /// `=`, `+`, `-` and `@` start a formula, even after a tab or a carriage return, and both
  /// `=1+1@example.org` and `'=1+1@example.org` are valid addresses. Text that starts with an
  /// apostrophe gets another one, so that different texts never produce the same cell and an import
  /// can remove exactly one apostrophe.
  private static func cell(_ text: String) -> String {
    let harmless = needsApostrophe(text.utf8) ? "'\(text)" : text
    // Compares scalars because CR LF is a single character.
    guard harmless.unicodeScalars.contains(where: { "\",\r\n".unicodeScalars.contains($0) }) else {
      return harmless
    }
    // Bytes, because a quote and a combining mark after it are a single character, too.
    let quoted = harmless.utf8.flatMap { $0 == UInt8(ascii: "\"") ? [$0, $0] : [$0] }
    return "\"\(String(decoding: quoted, as: UTF8.self))\""
  }

  static func needsApostrophe(_ text: some Collection<UInt8>) -> Bool {
    text.first.map { "=+-@\t\r'".utf8.contains($0) } ?? false
  }
}
