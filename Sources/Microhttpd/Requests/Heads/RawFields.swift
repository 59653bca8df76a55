/// The header fields of a request as they came over the wire (RFC 9112 §5), before libmicrohttpd
/// writes NULs over their line ends.
///
/// Once it has, `CR LF` looks like `LF :` and like `NUL LF`, so what the client really sent can only
/// be told here.
enum RawFields {
  /// What a scan found.
  struct Scan {
    /// Where the head ends; `nil` for one that is malformed, or whose end has not arrived yet.
    var end: UnsafePointer<UInt8>?
    /// How many field lines came before that.
    var lineCount = 0
  }

  /// Scans field lines up to the empty line, in one pass.
  ///
  /// It accepts exactly the grammar of RFC 9112: a name that is a token, a colon, a value without
  /// control characters other than tab, and `CR LF`. So it stops at a NUL, a bare CR or LF, a folded
  /// line, a line that begins with a colon, and a space before the colon.
  ///
  /// - Parameter start: The first byte of the first line. A NUL must follow somewhere, with seven
  ///   more bytes that may be read behind it.
  /// - Returns: Where the scan ended.
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

  /// Finds the first control character other than tab; the other bytes of a value are taken as they
  /// are (RFC 9110 §5.5).
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

  /// Marks the bytes that are below 0x20 or 0x7F in their highest bits.
  ///
  /// The lowest mark is exact; those above it may be wrong.
  private static func controls(in word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highBits: UInt64 = 0x8080_8080_8080_8080
    let delete = word ^ (ones &* 0x7F)
    let below = (word &- (ones &* 0x20)) & ~word
    let equal = (delete &- ones) & ~delete
    return (below | equal) & highBits
  }

  /// Whether a byte may be in the value of a field.
  static func isValue(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != 0x7F || byte == 0x09
  }

  private static let carriageReturn: UInt8 = 0x0D
  private static let lineFeed: UInt8 = 0x0A

  /// Whether a byte may be in a token (RFC 9110 §5.6.2); one bit for each byte.
  private static func isToken(_ byte: UInt8) -> Bool {
    // "!#$%&'*+-.^_`|~", digits and letters.
    let low: UInt64 = 0x03FF_6CFA_0000_0000
    let high: UInt64 = 0x57FF_FFFF_C7FF_FFFE
    if byte < 64 { return low >> UInt64(byte) & 1 != 0 }
    return byte < 128 && high >> UInt64(byte & 63) & 1 != 0
  }
}
