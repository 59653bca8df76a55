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
    let bytes = Array(text.utf8)
    var encoded: [UInt8] = []
    encoded.reserveCapacity(bytes.count * 2)
    var start = 0
    while start < bytes.count {
      let end =
        bytes[start...].firstIndex { $0 == lineFeed || $0 == carriageReturn } ?? bytes.count
      encode(bytes[start..<end], into: &encoded)
      encoded += [carriageReturn, lineFeed]
      start = end + (bytes[end...].starts(with: [carriageReturn, lineFeed]) ? 2 : 1)
    }
    return encoded
  }

  private static func encode(_ line: ArraySlice<UInt8>, into encoded: inout [UInt8]) {
    var length = 0
    for index in line.indices {
      let byte = line[index]
      let isLast = index == line.endIndex - 1
      var isPlain = isPlain(byte, isLast: isLast)
      // The last byte needs no room for the `=` of a soft line break.
      if length + (isPlain ? 1 : 3) > (isLast ? maximumLineBytes : maximumLineBytes - 1) {
        encoded += [UInt8(ascii: "="), carriageReturn, lineFeed]
        length = 0
      }
      if length == 0, byte == UInt8(ascii: ".") || line[index...].starts(with: "From ".utf8) {
        isPlain = false
      }
      if isPlain {
        encoded.append(byte)
      } else {
        encoded.append(UInt8(ascii: "="))
        encoded.append(digit(byte >> 4))
        encoded.append(digit(byte & 15))
      }
      length += isPlain ? 1 : 3
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

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }

  private static let carriageReturn: UInt8 = 0x0D
  private static let lineFeed: UInt8 = 0x0A
}
