internal import MailingList

/// How subscribers are written: each as one record that ends with its line.
enum ExportFormat: String, CaseIterable, Sendable {
  /// RFC 4180, with a header.
  case csv
  /// One JSON object a line.
  case ndjson

  /// The names of what is written, in order.
  static let columns = [
    "id", "address", "state", "locale", "created_at", "confirmed_at", "unsubscribed_at",
  ]

  /// What stands before the first record.
  var header: String {
    switch self {
    case .csv: CSV.record(Self.columns)
    case .ndjson: ""
    }
  }

  /// Writes one subscriber.
  ///
  /// - Parameter subscriber: Whom.
  /// - Returns: The record and the end of its line.
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
      let members = zip(Self.columns.dropFirst(), texts).map { name, text in
        "\"\(name)\":\(text.map { LineText.json($0) } ?? "null")"
      }
      return "{\"id\":\(subscriber.id),\(members.joined(separator: ","))}\n"
    }
  }
}
