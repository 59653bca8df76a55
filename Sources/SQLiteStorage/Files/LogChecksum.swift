/// The checksum of a write-ahead log
/// (<https://www.sqlite.org/fileformat2.html#checksum_algorithm>).
struct LogChecksum: Hashable, Sendable {
  private var first: UInt32
  private var second: UInt32

  init(first: UInt32 = 0, second: UInt32 = 0) {
    self.first = first
    self.second = second
  }

  mutating func add(_ one: UInt32, _ other: UInt32) {
    first &+= one &+ second
    second &+= other &+ first
  }

  /// Adds the numbers in a range of bytes; the length must be a multiple of 8.
  mutating func add(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, isBigEndian: Bool) {
    for offset in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
      let one = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
      let other = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
      if isBigEndian {
        add(UInt32(bigEndian: one), UInt32(bigEndian: other))
      } else {
        add(UInt32(littleEndian: one), UInt32(littleEndian: other))
      }
    }
  }

  /// Whether this checksum is stored at an offset.
  func isStored(in bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
    first.bigEndian == bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
      && second.bigEndian == bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
  }
}
