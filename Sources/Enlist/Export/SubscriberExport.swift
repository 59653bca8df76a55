internal import HTTPSignals
internal import MailingList
internal import Services
internal import Signals

/// An export of the whole list with a bounded number of subscribers and consents in memory.
struct SubscriberExport: Sendable {
  let list: any ReadableList
  let format: ExportFormat
  var output = OutputStream.standardOutput
  /// Only NDJSON has consents.
  var hasConsents = false
  /// Whether the export has a subscriber.
  var includes: @Sendable (Subscriber) -> Bool = { _ in true }
  /// The owner's fields, each a column.
  var fields: [FormField] = []
  /// Returns the link by which a subscriber leaves; `nil` exports no links.
  var link: (@Sendable (Subscriber) -> String)?
  /// The number of subscribers, and of consents, per read.
  var batchSize = 500

  /// Writes all subscribers in the order of their first sign-ups.
  ///
  /// Each batch starts after the last id of the previous batch (keyset paging), so no read blocks a
  /// writer for long, and new subscribers during the export come last.
  ///
  /// - Returns: The names of the fields that some have, but that were not exported.
  /// - Throws: `ExportError` or `OutputError`, after the records that were already written.
  @discardableResult
  func write() async throws -> Set<String> {
    let linkColumn = link == nil ? [] : [ExportFormat.linkColumn]
    try output.write(format.header(with: fields.map(\.name) + linkColumn).utf8)
    var last: Int64?
    var names: Set<String> = []
    while true {
      var batch: [Subscriber]
      do throws(StoreError) {
        batch =
          try await list.read { [last, batchSize] list throws(StoreError) in
            try list.subscribers(after: last, limit: batchSize)
          }
          .last() ?? []
      } catch {
        throw ExportError(cause: error)
      }
      guard let end = batch.last else { return names.subtracting(fields.map(\.name)) }
      batch = batch.filter(includes)
      for subscriber in batch { names.formUnion(subscriber.storedFields.keys) }
      if hasConsents {
        try await writeWithConsents(batch)
      } else {
        let records = batch.map { format.record(of: $0, with: columns(of: $0)) }
        try output.write(records.joined().utf8)
      }
      last = end.id
    }
  }

  /// Returns the columns after those of every export.
  private func columns(of subscriber: Subscriber) -> [ExportFormat.Column] {
    let values = fields.isEmpty ? [:] : subscriber.storedFields
    var columns: [ExportFormat.Column] = fields.map { ($0.name, values[$0.name]) }
    if let link { columns.append((ExportFormat.linkColumn, link(subscriber))) }
    return columns
  }

  /// Writes all that the list has about a person.
  func write(_ person: PersonRecord) async throws {
    try await writeWithConsents([person.subscriber], and: person)
  }

  /// Writes a batch with its consents, one part at a time.
  private func writeWithConsents(
    _ batch: [Subscriber], and person: PersonRecord? = nil
  ) async throws {
    guard let first = batch.first?.id, let last = batch.last?.id else { return }
    var parts = ConsentParts(list: list, subscribers: first...last, limit: batchSize)
    var text = ""
    for subscriber in batch {
      let (opening, closing) =
        ExportFormat.record(around: subscriber, with: columns(of: subscriber), and: person)
      text += opening
      var separator = ""
      while let consent = try await parts.next(of: subscriber.id) {
        text += separator + JSONText.line { $0.consent(consent) }
        separator = ","
        guard text.utf8.count > Self.maximumText else { continue }
        try output.write(text.utf8)
        text = ""
      }
      text += closing
    }
    try output.write(text.utf8)
  }

  /// The maximum number of bytes that are collected before they are written.
  private static let maximumText = 65_536
}

extension Subscriber {
  /// The owner's fields, by name.
  var storedFields: [String: String] { fields.map { String.values(ofFields: $0) } ?? [:] }
}

/// The consents of a batch of subscribers, read one part at a time, because strangers can cause any
/// number for one person.
private struct ConsentParts {
  let list: any ReadableList
  let subscribers: ClosedRange<Int64>
  let limit: Int
  var part: ArraySlice<RecordedConsent> = []
  var last: RecordedConsent?
  var isComplete = false

  /// Returns the next consent of a subscriber; `nil` if none remains.
  ///
  /// Call it for subscribers in the order of their ids.
  mutating func next(of subscriber: Int64) async throws(ExportError) -> RecordedConsent? {
    while true {
      if let next = part.first {
        guard next.subscriberID <= subscriber else { return nil }
        part.removeFirst()
        // Skip a subscriber that was added or erased since the batch was read.
        if next.subscriberID == subscriber { return next }
      } else if isComplete {
        return nil
      } else {
        try await read()
      }
    }
  }

  private mutating func read() async throws(ExportError) {
    do throws(StoreError) {
      part =
        try await list.read { [subscribers, last, limit] list throws(StoreError) in
          try list.consents(ofSubscribers: subscribers, after: last, limit: limit)
        }
        .last()?[...] ?? []
    } catch {
      throw ExportError(cause: error)
    }
    isComplete = part.count < limit
    last = part.last
  }
}

/// The list could not be read to its end.
struct ExportError: Error, Hashable, CustomStringConvertible {
  let cause: StoreError

  var description: String { "cannot read the database: \(cause)" }
}
