/// Some rows of a table, in a format that does not depend on the database.
///
/// A row consists of its fields in the order of the table's columns: the length in 32 bits, -1 for
/// null, then the value. Integers have their most significant byte first.
package struct RowPart: Sendable {
  /// The maximum number of rows.
  package static let maximumCount = 20_000

  package private(set) var bytes: [UInt8] = []
  package private(set) var sum = RowSum()
  /// The key of the last row, in the format of the database that was read.
  package var lastKey: [UInt8] { otherKey ?? Array(bytes[lastKeyRange]) }
  /// The key of the last row in the database's format, if that differs from a row's.
  package var otherKey: [UInt8]?

  private let keyCount: Int
  private var rowStart = 0
  private var fieldCount = 0
  private var keyEnd = 0
  private var lastKeyRange = 0..<0

  package init(of table: ListTable) {
    keyCount = table.keyCount
  }

  package mutating func appendNull() {
    append(bigEndian: Int32(-1))
    endField()
  }

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
