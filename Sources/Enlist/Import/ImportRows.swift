internal import FoundationEssentials
internal import Services

/// The rows of an imported file, read one at a time.
struct ImportRows {
  private static let maximumColumns = 1_000
  private static let utf16 = "UTF-16: save it as CSV UTF-8, or use iconv -f utf-16 -t utf-8"
  private static let notText = "not text: unpack it, or save it as CSV UTF-8"
  /// The beginnings of files that are not text in UTF-8, what they are, and what to do.
  private static let otherFiles: [(beginning: [UInt8], remedy: String)] = [
    ([0x50, 0x4B, 3, 4], "a workbook of Excel, or zipped: save it as CSV UTF-8, or unzip it"),
    ([0xD0, 0xCF, 0x11, 0xE0], "a workbook of Excel: save it as CSV UTF-8"),
    ([0x1F, 0x8B], "compressed: use gunzip -c FILE | enlist import -"),
    ([0xFF, 0xFE], utf16), ([0xFE, 0xFF], utf16),
    // bzip2, xz and zstd.
    (Array("BZh91AY&SY".utf8), notText), ([0xFD, 0x37, 0x7A, 0x58, 0x5A], notText),
    ([0x28, 0xB5, 0x2F, 0xFD], notText),
  ]

  /// The names of the columns; in NDJSON, those of the members of all objects.
  private(set) var columns: [String] = []
  /// The columns that may say who has left.
  private(set) var statuses = StatusColumns()
  /// The largest number of cells of a row, as far as columns may be as many.
  private(set) var width = 0
  let format: ExportFormat
  private let source: ImportSource?
  private let separator: UInt8
  /// Whether the first line is one of Excel, which names the separator.
  private let hasSeparatorLine: Bool
  /// The place of the first byte, behind a byte order mark.
  private let start: Int
  private var input: InputBytes
  /// Whether CR alone ends the rows, as it ends the header.
  private var endsWithReturn: Bool?
  private var headerWidth = 0
  /// The number of cells before what an earlier import has said about the rows that it rejected;
  /// `nil` if the file is another one.
  private var rejectedWidth: Int?
  /// Whether some cells begin with an apostrophe that is not theirs.
  private var hasApostrophes = false

  /// Reads all rows, and goes back to the first.
  ///
  /// - Parameters:
  ///   - descriptor: An open file. A pipe is held in memory.
  ///   - format: `nil` recognizes it by the first character.
  ///   - source: `nil` recognizes it by the columns.
  /// - Throws: `InputError`, `ImportError` for a file that has no columns, or no certain rows, or
  ///   `Failure` for a header that cannot be read.
  init(_ descriptor: Int32, format: ExportFormat?, from source: ImportSource?) throws {
    input = InputBytes(descriptor)
    try input.hold()
    var head = try input.beginning()
    if let file = Self.otherFiles.first(where: { head.starts(with: $0.beginning) }) {
      throw ImportError.otherFile(file.remedy)
    }
    guard !head.prefix(2).contains(0) else { throw ImportError.otherFile(Self.utf16) }
    // A stray control character in a text is no reason.
    guard head.prefix(512).count(where: { $0 < UInt8(ascii: "\t") }) < 4 else {
      throw ImportError.otherFile(Self.notText)
    }
    start = head.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    head = head.dropFirst(start)
    guard !head.isEmpty else { throw ImportError.otherFile("empty") }
    let visible = head.lazy.filter { $0 > UInt8(ascii: " ") }.prefix(2)
    self.format = format ?? (visible.first == UInt8(ascii: "{") ? .ndjson : .csv)
    if format != .csv, ["[{", "[\"", "[]"].contains(where: { visible.elementsEqual($0.utf8) }) {
      throw ImportError.otherFile("an array of JSON: use jq -c '.[]' FILE | enlist import -")
    }
    let first = head.split { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }
      .first { $0.contains { $0 > UInt8(ascii: " ") } }
    let named = String(decoding: first ?? [], as: UTF8.self).filter { $0 != "\"" }
    hasSeparatorLine = named.utf8.count == 5 && named.lowercased().hasPrefix("sep=")
    separator = hasSeparatorLine ? named.utf8.last ?? 0 : CSVRecord.separator(of: first ?? [])
    self.source = source
    try readColumns()
    try begin()
  }

  var readCount: Int { input.readCount }

  /// Reads the next row that has any text.
  ///
  /// - Throws: `InputError`, or `ImportError` for a row that is not UTF-8, or has no certain end.
  mutating func next() throws -> ImportRow? {
    while true {
      guard let row = try format == .csv ? nextRecord() : nextObject() else { return nil }
      if row.isMalformed || !row.isEmpty { return row }
    }
  }

  private mutating func readColumns() throws {
    try begin()
    switch format {
    case .csv:
      while let row = try next() {
        width = max(width, min(row.cells.count, Self.maximumColumns))
        if !row.isMalformed { statuses.add(zip(columns, row.cells)) }
        if source == nil, !hasApostrophes, row.cells.contains(where: Self.isGuarded) {
          throw ImportError.apostrophe(line: row.line)
        }
      }
    case .ndjson:
      var known: [String: String] = [:]
      while let line = try nextLine() {
        guard let person = Self.person(line) else { continue }
        // Not what an earlier import has said about a rejected row.
        let names = person.names.filter { !RejectedRows.columns.contains($0) }
        for name in names where known[name.lowercased()] == nil {
          known[name.lowercased()] = name
          columns.append(name)
        }
        guard columns.count <= Self.maximumColumns else { throw ImportError.tooManyColumns }
        statuses.add(names.map { (known[$0.lowercased()] ?? $0, person.text(of: $0) ?? "") })
      }
    }
    width = max(width, columns.count)
    guard columns.contains(where: { !$0.isEmpty }) else {
      throw format == .csv ? ImportError.noColumns : ImportError.noObjects
    }
  }

  /// Goes to the first row.
  private mutating func begin() throws {
    try input.rewind(to: start)
    guard format == .csv else { return }
    (columns, endsWithReturn, rejectedWidth, hasApostrophes) = ([], nil, nil, false)
    if hasSeparatorLine { while try nextLine()?.isEmpty == true {} }
    guard let header = try next() else { return }
    guard !header.isMalformed else {
      throw Failure(
        """
        the header in line \(header.line) cannot be read: a quote is in the wrong place, or it is \
        longer than \(CSVRecord.maximumCount) bytes
        """, code: ExitCodes.data)
    }
    headerWidth = header.cells.count
    let names = header.cells.map(Self.trimmed)
    let named = names.dropLast(names.reversed().prefix(while: \.isEmpty).count)
    columns = names
    if named.suffix(3) == RejectedRows.columns[...] {
      rejectedWidth = named.count - 3
      columns = named.dropLast(3).map(Self.withoutApostrophe)
      while columns.last == RejectedRows.surplus { columns.removeLast() }
    }
    hasApostrophes = rejectedWidth != nil || (source ?? ImportSource(columns: columns)) == .enlist
  }

  private mutating func nextRecord() throws -> ImportRow? {
    guard try input.peek() != nil else { return nil }
    let line = input.line
    var record = CSVRecord(separator: separator)
    var last = try input.next()
    while let byte = last, !record.add(byte) { last = try input.next() }
    var isReturn = last == UInt8(ascii: "\r")
    if isReturn, try input.peek() == UInt8(ascii: "\n") {
      _ = try input.next()
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
    guard record.isText else { throw ImportError.notUTF8(line: line) }
    var cells = record.cells
    if hasApostrophes { cells = cells.map(Self.withoutApostrophe) }
    let row = ImportRow(line: line, cells: cells, isMalformed: record.isMalformed)
    guard !columns.isEmpty, !row.isEmpty else { return row }
    var isMalformed = row.isMalformed || cells.count != headerWidth
    if let rejectedWidth, !isMalformed {
      cells = Array(cells.prefix(rejectedWidth))
      isMalformed = !cells.dropFirst(columns.count).allSatisfy(\.isEmpty)
      if !isMalformed { cells = Array(cells.prefix(columns.count)) }
    }
    return ImportRow(line: line, cells: cells, isMalformed: isMalformed)
  }

  private mutating func nextObject() throws -> ImportRow? {
    let line = input.line
    guard let bytes = try nextLine() else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    guard !bytes.isEmpty else { return ImportRow(line: line, cells: []) }
    guard let person = Self.person(bytes) else {
      return ImportRow(line: line, cells: [], isMalformed: true, object: text)
    }
    let names = Dictionary(person.names.map { ($0.lowercased(), $0) }) { first, _ in first }
    let members = columns.map { names[$0.lowercased()] }
    return ImportRow(
      line: line, cells: members.map { name in name.flatMap(person.text) ?? "" },
      unreadable: Set(members.indices.filter { members[$0].map(person.isUnreadable) ?? false }),
      consents: person.consents, isMalformed: person.mistyped.contains("consents"), object: text)
  }

  /// Reads a line; one that is too long may end within a character.
  private mutating func nextLine() throws -> [UInt8]? {
    let line = input.line
    let count = CSVRecord.maximumCount
    guard let bytes = try input.nextLine(maximumCount: count, endsAtReturn: true) else {
      return nil
    }
    guard bytes.count == count || String(validating: bytes, as: UTF8.self) != nil else {
      throw ImportError.notUTF8(line: line)
    }
    return bytes
  }

  private static func person(_ text: [UInt8]) -> ExportedPerson? {
    try? JSONDecoder().decode(ExportedPerson.self, from: Data(text))
  }

  /// Returns a name without the blanks and invisible characters around it.
  private static func trimmed(_ name: String) -> String {
    let isVisible = { (scalar: Unicode.Scalar) in
      !scalar.properties.isWhitespace && scalar.properties.generalCategory != .format
    }
    let scalars = name.unicodeScalars
    guard let first = scalars.firstIndex(where: isVisible),
      let last = scalars.lastIndex(where: isVisible)
    else { return "" }
    return String(scalars[first...last])
  }

  /// Whether an export of ours would have put the apostrophe in front of a cell.
  private static func isGuarded(_ cell: String) -> Bool {
    cell.utf8.first == UInt8(ascii: "'") && CSV.needsApostrophe(cell.utf8.dropFirst())
  }

  private static func withoutApostrophe(_ cell: String) -> String {
    cell.unicodeScalars.first == "'" ? String(cell.unicodeScalars.dropFirst()) : cell
  }
}
