/// The header fields of a request as the client sent them (RFC 9112 §5), before libmicrohttpd
/// overwrites their line ends with NULs.
///
/// After that, `CR LF` looks like `LF :` and like `NUL LF`, so only the raw bytes show the line
/// ends that the client sent.
enum RawFields {
  struct Scan {
    /// The first byte after the head; `nil` if the head is malformed or its end has not arrived
    /// yet.
    var end: UnsafePointer<UInt8>?
    /// The number of field lines before the end, or before the first malformed line.
    var lineCount = 0
  }

  /// Scans field lines up to the empty line, in one pass.
  ///
  /// The scan accepts exactly the grammar of RFC 9112: a name that is a token, a colon, a value
  /// without control characters other than tab, and `CR LF`. So it stops at a NUL, a bare CR or LF,
  /// a folded line, a line that begins with a colon, and a space before the colon.
  ///
  /// - Parameter start: The first byte of the first line. A NUL must follow somewhere, with seven
  ///   more readable bytes after it.
  static func scan(_ start: UnsafePointer<UInt8>) -> Scan {
    var scan = Scan()
    var cursor = start
    while cursor.pointee != carriageReturn {
      let name = cursor
      while isToken(cursor.pointee) { cursor += 1 }
      guard cursor > name, cursor.pointee == UInt8(ascii: ":") else { return scan }
      cursor = endOfValue(cursor + 1)
      guard cursor[0] == carriageReturn, cursor[1] == lineFeed else { return scan }
      cursor += 2
      scan.lineCount += 1
    }
    if cursor[1] == lineFeed { scan.end = cursor + 2 }
    return scan
  }

  /// Finds the first control character other than tab; a value may contain all other bytes (RFC
  /// 9110 §5.5).
  private static func endOfValue(_ start: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> {
    var cursor = start
    while true {
      let word = UnsafeRawPointer(cursor).loadUnaligned(as: UInt64.self)
      let controls = controls(in: UInt64(littleEndian: word))
      if controls == 0 {
        cursor += 8
        continue
      }
      cursor += controls.trailingZeroBitCount / 8
      guard cursor.pointee == 0x09 else { return cursor }
      cursor += 1
    }
  }

  /// Sets the highest bit of each byte that is below 0x20 or equal to 0x7F.
  ///
  /// Only the lowest bit that is set is reliable; bits above it may be set for other bytes.
  private static func controls(in word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highBits: UInt64 = 0x8080_8080_8080_8080
    let delete = word ^ (ones &* 0x7F)
    let below = (word &- (ones &* 0x20)) & ~word
    let equal = (delete &- ones) & ~delete
    return (below | equal) & highBits
  }

  /// Returns whether a byte may occur in the value of a field.
  static func isValue(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != 0x7F || byte == 0x09
  }

  private static let carriageReturn: UInt8 = 0x0D
  private static let lineFeed: UInt8 = 0x0A

  /// Returns whether a byte may occur in a token (RFC 9110 §5.6.2), from a bit set of ASCII.
  private static func isToken(_ byte: UInt8) -> Bool {
    // "!#$%&'*+-.^_`|~", digits and letters.
    let low: UInt64 = 0x03FF_6CFA_0000_0000
    let high: UInt64 = 0x57FF_FFFF_C7FF_FFFE
    if byte < 64 { return low >> UInt64(byte) & 1 != 0 }
    return byte < 128 && high >> UInt64(byte & 63) & 1 != 0
  }
}
