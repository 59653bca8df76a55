internal import FoundationEssentials
internal import OperatorService

/// The rows of an imported file, read one at a time.
struct ImportRows {
  /// The maximum number of columns.
  private static let maximumColumns = 1_000

  /// The names of the columns; in NDJSON, those of the members of all objects.
  private(set) var columns: [String] = []
  /// The columns that may say who has left.
  private(set) var statuses = StatusColumns()
  let format: ExportFormat
  private let separator: UInt8
  /// The place of the first byte, behind a byte order mark.
  private let start: Int
  private var lines: InputLines
  /// Whether CR alone ends the rows, as it ends the header.
  private var endsWithReturn: Bool?

  /// Reads all rows, and goes back to the first.
  ///
  /// - Parameters:
  ///   - descriptor: An open file. A pipe is held in memory.
  ///   - format: `nil` recognizes it by the first character.
  /// - Throws: `InputError`, or `ImportError` for a file that has no columns, or no certain rows.
  init(_ descriptor: Int32, format: ExportFormat?) throws {
    lines = InputLines(
      InputBytes(descriptor), maximumCount: CSVRecord.maximumCount, endsAtReturn: true)
    try lines.bytes.hold()
    var head = try lines.bytes.beginning()
    start = head.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    head = head.dropFirst(start)
    let isEnd = { (byte: UInt8) in byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n") }
    head = head.drop(while: isEnd)
    self.format = format ?? (head.first == UInt8(ascii: "{") ? .ndjson : .csv)
    separator = CSVRecord.separator(of: head.prefix { !isEnd($0) })
    try readColumns()
    try begin()
  }

  /// The number of bytes that have been read.
  var readCount: Int { lines.bytes.readCount }

  /// Reads the next row that has any text.
  ///
  /// - Throws: `InputError`, or `ImportError.uncertainEnd`.
  mutating func next() throws -> ImportRow? {
    while true {
      let row: ImportRow?
      switch format {
      case .csv: row = try nextRecord()
      case .ndjson: row = try nextObject()
      }
      guard let row else { return nil }
      if row.isMalformed || !row.isEmpty { return row }
    }
  }

  private mutating func readColumns() throws {
    try begin()
    switch format {
    case .csv:
      while let row = try next() {
        if !row.isMalformed { statuses.add(zip(columns, row.cells)) }
      }
    case .ndjson:
      var known: Set<String> = []
      while let line = try lines.next() {
        guard let person = Self.person(line) else { continue }
        columns += person.names.filter { known.insert($0.lowercased()).inserted }
        guard columns.count <= Self.maximumColumns else { throw ImportError.tooManyColumns }
        statuses.add(person.names.map { ($0, person.text(of: $0) ?? "") })
      }
    }
    guard columns.contains(where: { !$0.isEmpty }) else { throw ImportError.noColumns }
  }

  /// Goes to the first row.
  private mutating func begin() throws {
    try lines.bytes.rewind(to: start)
    guard format == .csv else { return }
    columns = []
    endsWithReturn = nil
    if let header = try next(), !header.isMalformed { columns = header.cells }
  }

  private mutating func nextRecord() throws -> ImportRow? {
    guard try lines.bytes.peek() != nil else { return nil }
    let line = lines.bytes.line
    var record = CSVRecord(separator: separator)
    var last: UInt8?
    while let byte = try lines.bytes.next() {
      guard record.add(byte) else { continue }
      last = byte
      break
    }
    var isReturn = last == UInt8(ascii: "\r")
    if isReturn, try lines.bytes.peek() == UInt8(ascii: "\n") {
      _ = try lines.bytes.next()
      isReturn = false
    }
    if last == nil {
      record.end()
    } else {
      endsWithReturn = endsWithReturn ?? isReturn
    }
    guard !record.hasUncertainEnd, last == nil || isReturn == endsWithReturn else {
      throw ImportError.uncertainEnd(line: line)
    }
    let row = ImportRow(line: line, cells: record.cells, isMalformed: record.isMalformed)
    let fits = columns.isEmpty || row.isEmpty || row.cells.count == columns.count
    return fits ? row : ImportRow(line: line, cells: row.cells, isMalformed: true)
  }

  private mutating func nextObject() throws -> ImportRow? {
    let line = lines.bytes.line
    guard let text = try lines.next() else { return nil }
    guard !text.isEmpty else { return ImportRow(line: line, cells: []) }
    guard let person = Self.person(text) else {
      let cells = [String(decoding: text, as: UTF8.self)]
      return ImportRow(line: line, cells: cells, isMalformed: true)
    }
    let names = Dictionary(person.names.map { ($0.lowercased(), $0) }) { first, _ in first }
    let members = columns.map { names[$0.lowercased()] }
    return ImportRow(
      line: line, cells: members.map { name in name.flatMap(person.text) ?? "" },
      unreadable: Set(members.indices.filter { members[$0].map(person.isUnreadable) ?? false }),
      consents: person.consents, isMalformed: person.mistyped.contains("consents"))
  }

  private static func person(_ text: [UInt8]) -> ExportedPerson? {
    try? JSONDecoder().decode(ExportedPerson.self, from: Data(text))
  }
}
