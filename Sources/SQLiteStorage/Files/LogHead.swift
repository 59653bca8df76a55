/// The first bytes of a log.
///
/// See <https://www.sqlite.org/fileformat2.html#the_write_ahead_log>.
struct LogHead {
  /// Whether the checksums are computed from big-endian numbers.
  let isBigEndian: Bool
  /// Two numbers that change when the log restarts from its beginning.
  let salts: SIMD2<UInt32>
  /// The checksum of the first bytes; `nil` if the stored one is wrong.
  let sum: LogChecksum?

  /// Reads the first bytes; `nil` if the file is shorter.
  init?(_ log: OpenFile) {
    var words = SIMD8<UInt32>()
    guard withUnsafeMutableBytes(of: &words, { log.read(at: 0, into: $0) }) else { return nil }
    let isBigEndian = UInt32(bigEndian: words[0]) & 1 == 1
    self.isBigEndian = isBigEndian
    salts = words.highHalf.lowHalf
    sum = withUnsafeBytes(of: words) { bytes in
      var sum = LogChecksum()
      sum.add(bytes, 0..<24, isBigEndian: isBigEndian)
      return sum.isStored(in: bytes, at: 24) ? sum : nil
    }
  }

  /// Whether the checksums of the log are correct up to the last frame of its index.
  ///
  /// SQLite compares the checksums only when it creates the index, not when it copies the log.
  static func isIntact(_ log: OpenFile, _ index: LogIndex) -> Bool {
    guard index.frameCount > 0 else { return true }
    guard let head = LogHead(log), head.salts == index.salts, var sum = head.sum else {
      return false
    }
    var frame = [UInt8](repeating: 0, count: 24 + index.pageBytes)
    for number in 0..<index.frameCount {
      let offset = 32 + number * frame.count
      guard frame.withUnsafeMutableBytes({ log.read(at: offset, into: $0) }) else { return false }
      let isIntact = frame.withUnsafeBytes { bytes in
        sum.add(bytes, 0..<8, isBigEndian: head.isBigEndian)
        sum.add(bytes, 24..<bytes.count, isBigEndian: head.isBigEndian)
        return sum.isStored(in: bytes, at: 16)
      }
      guard isIntact else { return false }
    }
    return sum == index.sum
  }
}
