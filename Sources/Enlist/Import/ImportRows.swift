internal import FoundationEssentials
internal import OperatorService

/// The rows of an imported file, read one at a time.
struct ImportRows {
  /// The names of the columns; in NDJSON, those of the first object's members.
  let columns: [String]
  let format: ExportFormat
  private var lines: InputLines
  private var line = 0
  private var separator = UInt8(ascii: ",")
  /// The first object, which is read before the rows.
  private var first: [UInt8]?

  /// Reads the header.
  ///
  /// - Parameter format: `nil` recognizes it by the first character.
  /// - Throws: `InputError`, or `ImportError` for a file that has no columns.
  init(_ descriptor: Int32, format: ExportFormat?) throws {
    lines = InputLines(descriptor, maximumCount: CSVRecord.maximumCount)
    guard var header = try lines.next() else { throw ImportError.noColumns }
    if header.starts(with: [0xEF, 0xBB, 0xBF]) { header.removeFirst(3) }
    self.format = format ?? (header.first == UInt8(ascii: "{") ? .ndjson : .csv)
    switch self.format {
    case .ndjson:
      first = header
      columns = Self.person(header)?.names ?? []
    case .csv:
      separator = CSVRecord.separator(of: header)
      var record = CSVRecord(separator: separator)
      line = 1
      while !record.add(header) {
        guard let next = try lines.next() else { break }
        header = next
        line += 1
      }
      columns = record.isMalformed ? [] : record.cells
    }
    guard columns.contains(where: { !$0.isEmpty }) else { throw ImportError.noColumns }
  }

  /// The number of bytes that have been read.
  var readCount: Int { lines.readCount }

  /// Reads the next row; `nil` after the last.
  mutating func next() throws(InputError) -> ImportRow? {
    while true {
      guard let text = try nextLine() else { return nil }
      if text.isEmpty || text == [UInt8(ascii: "\r")] { continue }
      switch format {
      case .ndjson: return row(ofObject: text)
      case .csv: return try record(beginningWith: text)
      }
    }
  }

  private mutating func nextLine() throws(InputError) -> [UInt8]? {
    if let first {
      self.first = nil
      line += 1
      return first
    }
    let text = try lines.next()
    if text != nil { line += 1 }
    return text
  }

  private mutating func record(beginningWith text: [UInt8]) throws(InputError) -> ImportRow {
    let start = line
    var record = CSVRecord(separator: separator)
    var text = text
    while !record.add(text) {
      guard let next = try nextLine() else {
        return ImportRow(line: start, cells: record.cells, isMalformed: true)
      }
      text = next
    }
    let isWhole = record.cells.count == columns.count && !record.isMalformed
    return ImportRow(line: start, cells: record.cells, isMalformed: !isWhole)
  }

  private func row(ofObject text: [UInt8]) -> ImportRow {
    guard let person = Self.person(text) else {
      let cells = [String(decoding: text, as: UTF8.self)]
      return ImportRow(line: line, cells: cells, isMalformed: true)
    }
    return ImportRow(
      line: line,
      cells: columns.map { person.texts[$0] ?? "" },
      consents: person.consents,
      isMalformed: person.mistyped.contains("consents")
    )
  }

  private static func person(_ text: [UInt8]) -> ExportedPerson? {
    try? JSONDecoder().decode(ExportedPerson.self, from: Data(text))
  }
}
