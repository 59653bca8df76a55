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

/// A reader of the fields of rows, or of a key.
package struct RowFields {
  private var rest: UnsafeRawBufferPointer

  /// Creates a reader of bytes that must outlive it.
  package init(_ bytes: UnsafeRawBufferPointer) {
    rest = bytes
  }

  package var isEmpty: Bool { rest.isEmpty }

  /// Reads the next field; `nil` is null.
  ///
  /// - Throws: ``StoreError/damaged`` if there is no field.
  package mutating func next() throws(StoreError) -> UnsafeRawBufferPointer? {
    guard rest.count >= 4 else { throw .damaged }
    let length = Int(Int32(bigEndian: rest.loadUnaligned(as: Int32.self)))
    rest = UnsafeRawBufferPointer(rebasing: rest[4...])
    if length == -1 { return nil }
    guard length >= 0, length <= rest.count else { throw .damaged }
    defer { rest = UnsafeRawBufferPointer(rebasing: rest[length...]) }
    return UnsafeRawBufferPointer(rebasing: rest[..<length])
  }
}

/// The number of some rows, and the sum of their hashes, which does not depend on their order.
package struct RowSum: Hashable, Sendable {
  package private(set) var count = 0
  /// The sum of a 64-bit hash of each row, which detects mistakes, not forgeries.
  package private(set) var hash: UInt64 = 0

  package init() {}

  package mutating func add(_ other: RowSum) {
    count += other.count
    hash &+= other.hash
  }

  mutating func add(_ row: UnsafeRawBufferPointer) {
    var state = UInt64(row.count) &* 0x9E37_79B9_7F4A_7C15
    var index = 0
    while index + 8 <= row.count {
      let word = row.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      Self.mix(UInt64(littleEndian: word), into: &state)
      index += 8
    }
    var tail: UInt64 = 0
    for byte in row[index...] { tail = tail << 8 | UInt64(byte) }
    Self.mix(tail, into: &state)
    count += 1
    hash &+= state ^ state >> 29
  }

  private static func mix(_ word: UInt64, into state: inout UInt64) {
    state = (state ^ word) &* 0xFF51_AFD7_ED55_8CCD
    state ^= state >> 32
  }
}

extension RowSum: CustomStringConvertible {
  /// For example "3 rows, hash 00c5a1ffe4b2d308".
  package var description: String {
    let digits = String(hash, radix: 16)
    let padded = String(repeating: "0", count: 16 - digits.count) + digits
    return "\(count) \(count == 1 ? "row" : "rows"), hash \(padded)"
  }
}
