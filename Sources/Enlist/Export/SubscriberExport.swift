internal import ListStorage
internal import MailingList
internal import Services
internal import Signals

/// An export of the whole list with a bounded number of subscribers and consents in memory.
struct SubscriberExport: Sendable {
  let reader: any SubscriberReader
  let format: ExportFormat
  /// `nil` exports no consents.
  var consents: (any ConsentReader)?
  /// Whether the export has a subscriber.
  var includes: @Sendable (Subscriber) -> Bool = { _ in true }
  /// The owner's fields, each a column.
  var fields: [FormField] = []
  /// Returns the link by which a subscriber leaves; `nil` exports no links.
  var link: (@Sendable (Subscriber) -> String)?
  /// The further lines about the only subscriber, if there are consents.
  var person: PersonRecord?
  /// The number of subscribers, and of consents, per read.
  var batchSize = 500

  /// Writes all subscribers in the order of their first sign-ups.
  ///
  /// Each batch starts after the last id of the previous batch (keyset paging), so no read blocks a
  /// writer for long, and new subscribers during the export come last.
  ///
  /// - Returns: The names of the fields that some have, but that were not exported.
  /// - Throws: `ExportError`, after the records that were already written.
  @discardableResult
  func write(to output: OutputStream) async throws(ExportError) -> Set<String> {
    try write(
      format.header(with: fields.map(\.name) + (link == nil ? [] : [ExportFormat.linkColumn])),
      to: output)
    var last: Int64?
    var names: Set<String> = []
    while true {
      var batch: [Subscriber]
      do throws(StoreError) {
        batch = try await reader.subscribers(after: last, limit: batchSize).last() ?? []
      } catch {
        throw .store(error)
      }
      guard let end = batch.last else { return names.subtracting(fields.map(\.name)) }
      batch = batch.filter(includes)
      for subscriber in batch { names.formUnion(subscriber.storedFields.keys) }
      if let consents {
        try await write(batch, with: consents, to: output)
      } else {
        try write(batch.map { format.record(of: $0, with: columns(of: $0)) }.joined(), to: output)
      }
      last = end.id
    }
  }

  /// Returns the columns after those of every export.
  private func columns(of subscriber: Subscriber) -> [ExportFormat.Column] {
    let values = fields.isEmpty ? [:] : subscriber.storedFields
    var columns = fields.map { ExportFormat.Column(name: $0.name, value: values[$0.name]) }
    if let link {
      columns.append(ExportFormat.Column(name: ExportFormat.linkColumn, value: link(subscriber)))
    }
    return columns
  }

  /// Writes a batch with its consents, one part at a time.
  private func write(
    _ batch: [Subscriber], with consents: any ConsentReader, to output: OutputStream
  ) async throws(ExportError) {
    guard let first = batch.first?.id, let last = batch.last?.id else { return }
    var parts = ConsentParts(reader: consents, subscribers: first...last, limit: batchSize)
    var text = ""
    for subscriber in batch {
      let (opening, closing) =
        format.record(around: subscriber, with: columns(of: subscriber), and: person)
      text += opening
      var separator = ""
      while let consent = try await parts.next(of: subscriber.id) {
        text += separator + format.element(of: consent)
        separator = ","
        guard text.utf8.count > Self.maximumText else { continue }
        try write(text, to: output)
        text = ""
      }
      text += closing
    }
    try write(text, to: output)
  }

  /// The maximum number of bytes that are collected before they are written.
  private static let maximumText = 65_536

  private func write(_ text: String, to output: OutputStream) throws(ExportError) {
    do throws(OutputError) {
      try output.write(Array(text.utf8))
    } catch {
      throw .output(error)
    }
  }
}

extension Subscriber {
  /// The owner's fields, by name.
  var storedFields: [String: String] { fields.map { String.values(ofFields: $0) } ?? [:] }
}

/// The consents of a batch of subscribers, read one part at a time, because strangers can cause any
/// number for one person.
private struct ConsentParts {
  let reader: any ConsentReader
  let subscribers: ClosedRange<Int64>
  let limit: Int
  private var part: ArraySlice<RecordedConsent> = []
  private var last: RecordedConsent?
  private var isComplete = false

  init(reader: any ConsentReader, subscribers: ClosedRange<Int64>, limit: Int) {
    self.reader = reader
    self.subscribers = subscribers
    self.limit = limit
  }

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
        try await reader.consents(ofSubscribers: subscribers, after: last, limit: limit)
        .last()?[...] ?? []
    } catch {
      throw .store(error)
    }
    isComplete = part.count < limit
    last = part.last
  }
}

/// An error that ended an export before the end of the list.
enum ExportError: Error, Hashable, Sendable {
  /// Reading from the store failed.
  case store(StoreError)
  /// Writing the output failed.
  case output(OutputError)
}

extension ExportError: CustomStringConvertible {
  var description: String {
    switch self {
    case .store(let error): "cannot read the database: \(error)"
    case .output(let error): "\(error)"
    }
  }
}
