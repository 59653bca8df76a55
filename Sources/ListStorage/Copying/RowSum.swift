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
