internal import HTTPSignals
internal import ListStorage
internal import MailingList
internal import Services

/// The output format of an export, with one record per subscriber, each with a line end.
enum ExportFormat: String, CaseIterable, Sendable {
  /// CSV (RFC 4180) with a header.
  case csv
  /// One JSON object per line.
  case ndjson

  /// A column or a member.
  struct Column {
    let name: String
    let value: String?
  }

  /// The names of the columns or members, in order.
  static let columns = [
    "id", "address", "state", "locale", "created_at", "confirmed_at", "unsubscribed_at", "reason",
  ]

  /// The name of the column or member of a link to leave, the last of an export with links.
  static let linkColumn = "unsubscribe_url"

  /// Returns the text before the first record.
  func header(with more: [String] = []) -> String {
    switch self {
    case .csv: CSV.record(Self.columns + more)
    case .ndjson: ""
    }
  }

  /// - Parameter more: The columns after those of every export.
  func record(of subscriber: Subscriber, with more: [Column] = []) -> String {
    let columns = Self.columns(of: subscriber) + more
    switch self {
    case .csv: return CSV.record(["\(subscriber.id)"] + columns.map { $0.value ?? "" })
    case .ndjson: return Self.json { $0.subscriber(subscriber, columns) } + "\n"
    }
  }

  /// Formats the text before and after the consents of a subscriber, which are separated by commas.
  ///
  /// CSV has no column for consents, nor for what else the list has about a person.
  func record(
    around subscriber: Subscriber, with more: [Column] = [], and person: PersonRecord? = nil
  ) -> (opening: String, closing: String) {
    switch self {
    case .csv: return (record(of: subscriber, with: more), "")
    case .ndjson:
      let closing = "]}"
      let record = Self.json { object in
        object.subscriber(subscriber, Self.columns(of: subscriber) + more)
        if let person { object.person(person) }
        object.member("consents", [])
      }
      return (String(record.dropLast(closing.count)), closing + "\n")
    }
  }

  /// Formats a consent as a JSON object without unknown members; CSV has no column for consents.
  func element(of consent: RecordedConsent) -> String {
    switch self {
    case .csv: ""
    case .ndjson: Self.json { $0.consent(consent) }
    }
  }

  /// The columns of a subscriber except the first, in order.
  private static func columns(of subscriber: Subscriber) -> [Column] {
    let texts: [String?] = [
      subscriber.address, subscriber.state.name, subscriber.locale,
      "\(subscriber.createdAt)", subscriber.confirmedAt.map { "\($0)" },
      subscriber.unsubscribedAt.map { "\($0)" }, subscriber.suppression?.name,
    ]
    return zip(columns.dropFirst(), texts).map { Column(name: $0, value: $1) }
  }

  private static func json(_ members: (inout JSONObject) -> Void) -> String {
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
