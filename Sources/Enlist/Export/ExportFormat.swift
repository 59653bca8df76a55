internal import HTTPSignals
internal import MailingList

/// The output format of an export: one record per subscriber, each with a line end.
enum ExportFormat: String, CaseIterable, Sendable {
  /// CSV (RFC 4180) with a header.
  case csv
  /// One JSON object per line.
  case ndjson

  /// The names of the columns or members, in order.
  static let columns = [
    "id", "address", "state", "locale", "created_at", "confirmed_at", "unsubscribed_at",
  ]

  /// The text before the first record.
  var header: String {
    switch self {
    case .csv: CSV.record(Self.columns)
    case .ndjson: ""
    }
  }

  /// Formats a subscriber.
  ///
  /// - Parameters:
  ///   - subscriber: The subscriber.
  ///   - consents: The subscriber's consents, for the member `consents`; `nil` writes none. CSV has
  ///     no place for them.
  /// - Returns: The record, with a line end.
  func record(of subscriber: Subscriber, consents: [RecordedConsent]? = nil) -> String {
    let texts = [
      subscriber.address, subscriber.state.name, subscriber.locale,
      "\(subscriber.createdAt)", subscriber.confirmedAt.map { "\($0)" },
      subscriber.unsubscribedAt.map { "\($0)" },
    ]
    switch self {
    case .csv:
      return CSV.record(["\(subscriber.id)"] + texts.map { $0 ?? "" })
    case .ndjson:
      var json = JSONText(escaping: .line)
      json.object { object in
        object.member("id", Int(subscriber.id))
        for (name, text) in zip(Self.columns.dropFirst(), texts) {
          object.member(named: name, text)
        }
        if let consents { object.consents(consents) }
      }
      return String(decoding: json.bytes, as: UTF8.self) + "\n"
    }
  }
}

extension JSONObject {
  /// Writes the member with the consents of a subscriber, without members that are unknown.
  fileprivate mutating func consents(_ consents: [RecordedConsent]) {
    array("consents", consents) { recorded, object in
      let consent = recorded.consent
      object.member("id", "\(recorded.id)")
      object.member("kind", recorded.kind)
      object.member("at", "\(recorded.time)")
      let texts: [(name: String, value: String?)] = [
        ("means", recorded.means), ("request_id", recorded.requestID.map { "\($0)" }),
        ("message_id", recorded.messageID), ("text", consent.text),
        ("source_url", consent.sourceURL), ("origin", consent.origin),
        ("ip", consent.clientAddress), ("user_agent", consent.userAgent),
        ("locale", consent.locale), ("next", consent.next),
      ]
      for case (let name, let value?) in texts { object.member(named: name, value) }
      guard let wording = recorded.wording else { return }
      object.object("wording") { object in
        object.member("language", wording.language)
        object.member("subject", wording.subject)
        object.member("text", wording.text)
      }
    }
  }
}
