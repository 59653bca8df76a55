internal import Platform

/// The escapes in JSON strings (RFC 8259 §7).
enum JSONEscapes {
  /// Reads the four hexadecimal digits of an escape such as `\u0041`, a UTF-16 code unit; `nil` if
  /// there are not four digits.
  static func codeUnit(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> UInt32? {
    guard index + 4 <= bytes.count else { return nil }
    var unit: UInt32 = 0
    for offset in 0..<4 {
      guard let digit = bytes[index + offset].hexadecimalValue else { return nil }
      unit = unit << 4 | UInt32(digit)
    }
    return unit
  }

  /// Finds the end of a run of escapes without decoding them.
  ///
  /// - Returns: The index of the first byte after the run, and whether every escape represents a
  ///   character, which a lone surrogate does not; `nil` if an escape is malformed.
  static func run(
    in bytes: UnsafeBufferPointer<UInt8>, from start: Int
  ) -> (end: Int, isText: Bool)? {
    var index = start
    var isText = true
    while index < bytes.count, bytes[index] == UInt8(ascii: "\\") {
      guard index + 1 < bytes.count else { return nil }
      guard bytes[index + 1] == UInt8(ascii: "u") else {
        guard isSimple(bytes[index + 1]) else { return nil }
        index += 2
        continue
      }
      guard let unit = codeUnit(bytes, at: index + 2) else { return nil }
      index += 6
      guard (0xD800...0xDFFF).contains(unit) else { continue }
      // If the escape that follows is not the low surrogate, the next pass reads it on its own.
      if unit <= 0xDBFF, index + 1 < bytes.count, bytes[index] == UInt8(ascii: "\\"),
        bytes[index + 1] == UInt8(ascii: "u")
      {
        guard let second = codeUnit(bytes, at: index + 2) else { return nil }
        if (0xDC00...0xDFFF).contains(second) {
          index += 6
          continue
        }
      }
      isText = false
    }
    return (index, isText)
  }

  /// Returns whether a byte completes a two-character escape: one of `"/\bfnrt`.
  private static func isSimple(_ byte: UInt8) -> Bool {
    // Bit masks, with one bit for each of the 32 bytes from 0x20 and from 0x60.
    switch byte {
    case UInt8(ascii: "\\"): true
    case 0x20..<0x40: (0x0000_8004 as UInt32) >> UInt32(byte & 31) & 1 != 0
    case 0x60..<0x80: (0x0014_4044 as UInt32) >> UInt32(byte & 31) & 1 != 0
    default: false
    }
  }

  /// Writes a string with its escapes decoded; the string must be well-formed.
  ///
  /// - Returns: The number of bytes written, at most `bytes.count`.
  static func unescape(
    _ bytes: UnsafeBufferPointer<UInt8>, into buffer: UnsafeMutableBufferPointer<UInt8>
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

  /// Writes a Unicode scalar value as UTF-8 (RFC 3629 §3); returns the number of bytes written.
  private static func write(
    _ scalar: UInt32, into buffer: UnsafeMutableBufferPointer<UInt8>, at index: Int
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
