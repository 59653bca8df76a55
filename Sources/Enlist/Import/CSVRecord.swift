/// A record of a CSV file (RFC 4180), which is read line by line, because cells in quotes may have
/// line breaks.
struct CSVRecord {
  /// The maximum number of bytes.
  static let maximumCount = 65_536

  private enum Place {
    case plain
    case quoted
    /// After a quote in a quoted cell: its end, or the first of two.
    case quote
  }

  private(set) var cells: [String] = []
  /// Whether the record is not one of CSV in UTF-8.
  private(set) var isMalformed = false
  private let separator: UInt8
  private var cell: [UInt8] = []
  private var count = 0
  private var place = Place.plain

  init(separator: UInt8) {
    self.separator = separator
  }

  /// Finds the separator of a header: comma, semicolon or tab, whichever is most frequent.
  static func separator(of header: [UInt8]) -> UInt8 {
    let counts = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")].map { byte in
      (byte, header.count { $0 == byte })
    }
    return counts.reduce(counts[0]) { $1.1 > $0.1 ? $1 : $0 }.0
  }

  /// Adds a line without its LF; returns whether the record is complete.
  mutating func add(_ line: [UInt8]) -> Bool {
    count += line.count + 1
    if place == .quoted { cell.append(UInt8(ascii: "\n")) }
    let quote = UInt8(ascii: "\"")
    for byte in line {
      switch (place, byte) {
      case (.plain, quote) where cell.isEmpty: place = .quoted
      case (.plain, separator), (.quote, separator): endCell()
      case (.quoted, quote): place = .quote
      case (.quote, quote):
        cell.append(quote)
        place = .quoted
      case (.quote, UInt8(ascii: "\r")): break
      case (.quote, _): isMalformed = true
      case (.plain, _), (.quoted, _): cell.append(byte)
      }
    }
    guard count <= Self.maximumCount else {
      isMalformed = true
      return true
    }
    guard place != .quoted else { return false }
    if place == .plain, cell.last == UInt8(ascii: "\r") { cell.removeLast() }
    endCell()
    return true
  }

  private mutating func endCell() {
    if let text = String(validating: cell, as: UTF8.self) {
      cells.append(text)
    } else {
      isMalformed = true
      cells.append(String(decoding: cell, as: UTF8.self))
    }
    cell.removeAll(keepingCapacity: true)
    place = .plain
  }
}
