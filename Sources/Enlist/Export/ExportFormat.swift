internal import HTTPSignals
internal import MailingList

/// The output format of an export, with one record per subscriber, each with a line end.
enum ExportFormat: String, CaseIterable, Sendable {
  /// CSV (RFC 4180) with a header.
  case csv
  /// One JSON object per line.
  case ndjson

  /// The names of the columns or members, in order.
  static let columns = [
    "id", "address", "state", "locale", "created_at", "confirmed_at", "unsubscribed_at",
  ]

  /// The name of the column or member of a link to leave, the last of an export with links.
  static let linkColumn = "unsubscribe_url"

  /// Returns the text before the first record.
  func header(withLinks hasLinks: Bool = false) -> String {
    switch self {
    case .csv: CSV.record(Self.columns + (hasLinks ? [Self.linkColumn] : []))
    case .ndjson: ""
    }
  }

  func record(of subscriber: Subscriber, link: String? = nil) -> String {
    let texts = Self.texts(of: subscriber, link)
    switch self {
    case .csv: return CSV.record(["\(subscriber.id)"] + texts.map { $0 ?? "" })
    case .ndjson: return Self.json { $0.subscriber(subscriber, texts) } + "\n"
    }
  }

  /// Formats the text before and after the consents of a subscriber, which are separated by commas.
  ///
  /// CSV has no column for consents.
  func record(
    around subscriber: Subscriber,
    link: String? = nil
  ) -> (opening: String, closing: String) {
    switch self {
    case .csv: return (record(of: subscriber, link: link), "")
    case .ndjson:
      let closing = "]}"
      let record = Self.json { object in
        object.subscriber(subscriber, Self.texts(of: subscriber, link))
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
  private static func texts(of subscriber: Subscriber, _ link: String?) -> [String?] {
    [
      subscriber.address, subscriber.state.name, subscriber.locale,
      "\(subscriber.createdAt)", subscriber.confirmedAt.map { "\($0)" },
      subscriber.unsubscribedAt.map { "\($0)" },
    ] + (link.map { [$0] } ?? [])
  }

  private static func json(_ members: (inout JSONObject) -> Void) -> String {
    var json = JSONText(escaping: .line)
    json.object(members)
    return String(decoding: json.bytes, as: UTF8.self)
  }
}

extension JSONObject {
  fileprivate mutating func subscriber(_ subscriber: Subscriber, _ texts: [String?]) {
    member("id", Int(subscriber.id))
    let names = ExportFormat.columns.dropFirst() + [ExportFormat.linkColumn]
    for (name, text) in zip(names, texts) { member(named: name, text) }
  }

  fileprivate mutating func consent(_ recorded: RecordedConsent) {
    let consent = recorded.consent
    member("id", "\(recorded.id)")
    member("kind", recorded.kind)
    member("at", "\(recorded.time)")
    let texts: [(name: String, value: String?)] = [
      ("means", recorded.means), ("request_id", recorded.requestID.map { "\($0)" }),
      ("message_id", recorded.messageID), ("text", consent.text),
      ("source_url", consent.sourceURL), ("origin", consent.origin),
      ("ip", consent.clientAddress), ("user_agent", consent.userAgent),
      ("locale", consent.locale), ("next", consent.next),
    ]
    for case (let name, let value?) in texts { member(named: name, value) }
    guard let wording = recorded.wording else { return }
    object("wording") { object in
      object.member("language", wording.language)
      object.member("subject", wording.subject)
      object.member("text", wording.text)
    }
  }
}
