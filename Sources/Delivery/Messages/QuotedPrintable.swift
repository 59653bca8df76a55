/// The quoted-printable transfer encoding (RFC 2045 §6.7).
enum QuotedPrintable {
  /// The maximum number of bytes of an encoded line, without CRLF.
  private static let maximumLineBytes = 76

  /// Encodes text as lines of at most 76 bytes of ASCII, each followed by CRLF.
  ///
  /// At the start of a line, `.` is encoded because SMTP doubles it, and the `F` of `From` because
  /// some programs change it.
  ///
  /// - Parameter text: Lines that end in LF, CRLF or CR; the last may lack a line end.
  static func encode(_ text: String) -> [UInt8] {
    var encoded: [UInt8] = []
    encoded.reserveCapacity(text.utf8.count * 2)
    var lines = text.utf8.split(omittingEmptySubsequences: false) { $0 == lineFeed }
    if lines.last?.isEmpty == true { lines.removeLast() }
    for line in lines {
      for part in line.split(separator: carriageReturn, omittingEmptySubsequences: false)
        .dropLast(line.last == carriageReturn ? 1 : 0)
      {
        encode(Array(part), into: &encoded)
        encoded += [carriageReturn, lineFeed]
      }
    }
    return encoded
  }

  private static func encode(_ line: [UInt8], into encoded: inout [UInt8]) {
    var length = 0
    for (index, byte) in line.enumerated() {
      let isLast = index == line.count - 1
      var token = isPlain(byte, isLast: isLast) ? [byte] : escaped(byte)
      // The last byte needs no room for the `=` of a soft line break.
      if length + token.count > (isLast ? maximumLineBytes : maximumLineBytes - 1) {
        encoded += [UInt8(ascii: "="), carriageReturn, lineFeed]
        length = 0
      }
      if length == 0, byte == UInt8(ascii: ".") || line[index...].starts(with: "From ".utf8) {
        token = escaped(byte)
      }
      encoded += token
      length += token.count
    }
  }

  private static func isPlain(_ byte: UInt8, isLast: Bool) -> Bool {
    switch byte {
    case UInt8(ascii: "="): false
    // White space at the end of a line may be removed in transit.
    case UInt8(ascii: " "), UInt8(ascii: "\t"): !isLast
    case 0x21...0x7E: true
    default: false
    }
  }

  private static func escaped(_ byte: UInt8) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    return [UInt8(ascii: "="), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
  }

  private static let carriageReturn: UInt8 = 0x0D
  private static let lineFeed: UInt8 = 0x0A
}
