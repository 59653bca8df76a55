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
  /// - Parameter subscriber: The subscriber.
  /// - Returns: The record, with a line end.
  func record(of subscriber: Subscriber) -> String {
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
      }
      return String(decoding: json.bytes, as: UTF8.self) + "\n"
    }
  }
}
