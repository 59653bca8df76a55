/// A record of a CSV file (RFC 4180), which is read byte by byte, because cells in quotes may have
/// line breaks.
struct CSVRecord {
  /// The maximum number of bytes that are kept.
  static let maximumCount = 65_536

  /// A reading of quotes.
  ///
  /// A quote in the wrong place can be read in two ways. Where both end a record at the same byte,
  /// the next record is certain.
  private struct Reading {
    enum Place {
      case start
      case plain
      case quoted
      /// After a quote in a quoted cell: its end, or the first of two.
      case quote
    }

    enum Step { case keep, skip, stray, endCell, endRecord }

    private(set) var place = Place.start
    /// Whether blanks around a quoted cell mean nothing, and a quote that does not end its cell is a
    /// part of it.
    let isTolerant: Bool

    mutating func read(_ byte: UInt8, separator: UInt8) -> Step {
      let isQuote = byte == UInt8(ascii: "\"")
      switch place {
      case .quoted:
        if isQuote { place = .quote }
        return isQuote ? .skip : .keep
      case .quote where isQuote:
        place = .quoted
        return .keep
      case .start, .plain, .quote: break
      }
      if byte == separator {
        place = .start
        return .endCell
      }
      if byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n") { return .endRecord }
      if place == .start, isQuote {
        place = .quoted
        return .skip
      }
      let isBlank = isTolerant && byte == UInt8(ascii: " ")
      if place == .quote {
        if !isBlank { place = isTolerant ? .quoted : .plain }
        return .stray
      }
      if !isBlank { place = .plain }
      return .keep
    }
  }

  private(set) var cells: [String] = []
  /// Whether the record is not one of CSV, or is too long.
  private(set) var isMalformed = false
  /// Whether all cells are UTF-8.
  private(set) var isText = true
  /// Whether it is uncertain where the record ends, so that what follows cannot be read.
  private(set) var hasUncertainEnd = false
  private let separator: UInt8
  private var cell: [UInt8] = []
  private var count = 0
  private var reading = Reading(isTolerant: false)
  private var tolerantReading = Reading(isTolerant: true)

  init(separator: UInt8) { self.separator = separator }

  /// Finds the separator of a header: comma, semicolon or tab, whichever is most frequent outside
  /// quotes.
  static func separator(of header: some Collection<UInt8>) -> UInt8 {
    let parts = header.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
    let unquoted = stride(from: 0, to: parts.count, by: 2).flatMap { parts[$0] }
    let counts = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")].map { byte in
      (byte, unquoted.count { $0 == byte })
    }
    return counts.reduce(counts[0]) { $1.1 > $0.1 ? $1 : $0 }.0
  }

  /// Adds a byte, and returns whether the record is complete.
  ///
  /// A CR ends it without the LF that may follow.
  mutating func add(_ byte: UInt8) -> Bool {
    count += 1
    let step = reading.read(byte, separator: separator)
    let tolerantStep = tolerantReading.read(byte, separator: separator)
    if (step == .endRecord) != (tolerantStep == .endRecord) { hasUncertainEnd = true }
    switch step {
    case .keep: keep(byte)
    case .skip: break
    case .stray:
      isMalformed = true
      keep(UInt8(ascii: "\""))
      keep(byte)
    case .endCell: endCell()
    case .endRecord:
      endCell()
      return true
    }
    return hasUncertainEnd
  }

  /// Ends the record at the end of the file.
  mutating func end() {
    if reading.place == .quoted || tolerantReading.place == .quoted { hasUncertainEnd = true }
    endCell()
  }

  private mutating func keep(_ byte: UInt8) {
    if count <= Self.maximumCount { cell.append(byte) } else { isMalformed = true }
  }

  private mutating func endCell() {
    guard count <= Self.maximumCount else {
      isMalformed = true
      return
    }
    if let text = String(validating: cell, as: UTF8.self) {
      cells.append(text)
    } else {
      isText = false
    }
    cell.removeAll(keepingCapacity: true)
  }
}
