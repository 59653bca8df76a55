/// Base64 with one text for each sequence of bytes (RFC 4648 §3.5).
///
/// Decoding rejects white space, foreign characters, missing or superfluous padding, and bits that
/// encode nothing.
enum Base64 {
  /// A set of 64 digits, and whether texts are padded.
  enum Alphabet {
    /// Base64 with padding (RFC 4648 §4).
    case standard
    /// Base64url without padding (RFC 4648 §5).
    case url

    fileprivate var last: (UInt8, UInt8) {
      switch self {
      case .standard: (UInt8(ascii: "+"), UInt8(ascii: "/"))
      case .url: (UInt8(ascii: "-"), UInt8(ascii: "_"))
      }
    }

    fileprivate func value(of digit: UInt8) -> UInt32? {
      switch digit {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
      case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a")) + 26
      case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0")) + 52
      case last.0: 62
      case last.1: 63
      default: nil
      }
    }

    fileprivate func digit(of value: UInt32) -> UInt8 {
      let value = UInt8(truncatingIfNeeded: value & 63)
      return switch value {
      case 0..<26: UInt8(ascii: "A") + value
      case 26..<52: UInt8(ascii: "a") + value - 26
      case 52..<62: UInt8(ascii: "0") + value - 52
      case 62: last.0
      default: last.1
      }
    }
  }

  /// Returns the text of bytes.
  static func encode(_ bytes: [UInt8], _ alphabet: Alphabet) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var bits: UInt32 = 0
    var bitCount: UInt32 = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      bitCount += 8
      while bitCount >= 6 {
        bitCount -= 6
        text.append(alphabet.digit(of: bits >> bitCount))
      }
      bits &= (1 << bitCount) - 1
    }
    if bitCount > 0 { text.append(alphabet.digit(of: bits << (6 - bitCount))) }
    switch alphabet {
    case .standard: while !text.count.isMultiple(of: 4) { text.append(UInt8(ascii: "=")) }
    case .url: break
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns the bytes of a text; `nil` if it is invalid.
  static func decode(_ text: some StringProtocol, _ alphabet: Alphabet) -> [UInt8]? {
    var digits = Array(text.utf8)[...]
    switch alphabet {
    case .standard:
      guard digits.count.isMultiple(of: 4) else { return nil }
      for _ in 0..<2 where digits.last == UInt8(ascii: "=") { digits.removeLast() }
    case .url: break
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count * 3 / 4)
    var bits: UInt32 = 0
    var bitCount: UInt32 = 0
    for digit in digits {
      guard let value = alphabet.value(of: digit) else { return nil }
      bits = bits << 6 | value
      bitCount += 6
      guard bitCount >= 8 else { continue }
      bitCount -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
      bits &= (1 << bitCount) - 1
    }
    // The remaining bits are fewer than those of a digit, and zero.
    return bitCount < 6 && bits == 0 ? bytes : nil
  }
}
