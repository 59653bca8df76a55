/// What the escapes in a JSON text stand for (RFC 8259 §7).
enum JSONEscapes {
  /// Reads the four hexadecimal digits of `\u0041`.
  ///
  /// - Returns: The UTF-16 code unit; `nil` when they are not there.
  static func codeUnit(
    _ bytes: UnsafeBufferPointer<UInt8>,
    at index: Int
  ) -> UInt32? {
    guard index + 4 <= bytes.count else { return nil }
    var unit: UInt32 = 0
    for offset in 0..<4 {
      guard let digit = hexadecimalDigit(bytes[index + offset]) else { return nil }
      unit = unit << 4 | UInt32(digit)
    }
    return unit
  }

  /// Writes text for which its escapes stand; they are known to be well-formed.
  ///
  /// - Returns: How many bytes were written: no more than there are.
  static func unescape(
    _ bytes: UnsafeBufferPointer<UInt8>,
    into buffer: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    var index = 0
    var count = 0
    while index < bytes.count {
      var byte = bytes[index]
      index += 1
      if byte == UInt8(ascii: "\\"), index < bytes.count {
        byte = bytes[index]
        index += 1
        switch byte {
        case UInt8(ascii: "b"): byte = 0x08
        case UInt8(ascii: "f"): byte = 0x0C
        case UInt8(ascii: "n"): byte = 0x0A
        case UInt8(ascii: "r"): byte = 0x0D
        case UInt8(ascii: "t"): byte = 0x09
        case UInt8(ascii: "u"):
          var scalar = codeUnit(bytes, at: index) ?? 0xFFFD
          index += 4
          if (0xD800...0xDBFF).contains(scalar) {
            let second = codeUnit(bytes, at: index + 2) ?? 0xDC00
            scalar = 0x10000 + (scalar - 0xD800) << 10 + (second - 0xDC00)
            index += 6
          }
          count += write(scalar, into: buffer, at: count)
          continue
        default: break
        }
      }
      buffer[count] = byte
      count += 1
    }
    return count
  }

  /// Writes a scalar value in UTF-8 (RFC 3629 §3).
  private static func write(
    _ scalar: UInt32,
    into buffer: UnsafeMutableBufferPointer<UInt8>,
    at index: Int
  ) -> Int {
    let length = scalar < 0x80 ? 1 : scalar < 0x800 ? 2 : scalar < 0x10000 ? 3 : 4
    guard length > 1 else {
      buffer[index] = UInt8(truncatingIfNeeded: scalar)
      return 1
    }
    for offset in 1..<length {
      let bits = scalar >> UInt32(6 * (length - 1 - offset)) & 0x3F
      buffer[index + offset] = 0x80 | UInt8(truncatingIfNeeded: bits)
    }
    let mark: UInt8 = length == 2 ? 0xC0 : length == 3 ? 0xE0 : 0xF0
    buffer[index] = mark | UInt8(truncatingIfNeeded: scalar >> UInt32(6 * (length - 1)))
    return length
  }
}
