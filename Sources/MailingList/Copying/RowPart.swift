/// Some rows of a table, in a format of their own.
///
/// A row is its fields in the order of the table's columns: the length in 32 bits, -1 for null, then
/// the value. Integers have their most significant byte first.
package struct RowPart: Sendable {
  /// The maximum number of rows.
  package static let maximumCount = 20_000

  /// The rows.
  package private(set) var bytes: [UInt8] = []
  /// The number of rows, and their hash.
  package private(set) var sum = RowSum()
  /// The key of the last row, which only the database that has read it understands.
  package var lastKey: [UInt8] { otherKey ?? Array(bytes[lastKeyRange]) }
  /// The key of the last row in the format of the database, if it differs.
  package var otherKey: [UInt8]?

  private let keyCount: Int
  private var rowStart = 0
  private var fieldCount = 0
  private var keyEnd = 0
  private var lastKeyRange = 0..<0

  /// Makes a part without rows.
  package init(of table: ListTable) {
    keyCount = table.keyCount
  }

  /// Appends null to the row.
  package mutating func appendNull() {
    append(bigEndian: Int32(-1))
    endField()
  }

  /// Appends an integer to the row.
  package mutating func append(_ integer: some FixedWidthInteger) {
    append(bigEndian: Int32(integer.bitWidth / 8))
    append(bigEndian: integer)
    endField()
  }

  /// Appends a text, bytes, or an integer in the format of a row.
  package mutating func append(_ field: UnsafeRawBufferPointer) {
    append(bigEndian: Int32(clamping: field.count))
    bytes.append(contentsOf: field)
    endField()
  }

  /// Ends the row.
  package mutating func endRow() {
    bytes.withUnsafeBytes { sum.add(UnsafeRawBufferPointer(rebasing: $0[rowStart...])) }
    lastKeyRange = rowStart..<keyEnd
    rowStart = bytes.count
    fieldCount = 0
  }

  private mutating func endField() {
    fieldCount += 1
    if fieldCount == keyCount { keyEnd = bytes.count }
  }

  private mutating func append(bigEndian integer: some FixedWidthInteger) {
    withUnsafeBytes(of: integer.bigEndian) { bytes.append(contentsOf: $0) }
  }
}
