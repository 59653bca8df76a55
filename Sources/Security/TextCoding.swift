internal import FoundationEssentials

/// Base64 with one text for each sequence of bytes (RFC 4648 §3.5).
///
/// Decoding rejects white space, foreign characters, missing or superfluous padding, and bits that
/// encode nothing.
enum Base64 {
  enum Alphabet {
    /// Base64 with padding (RFC 4648 §4).
    case standard
    /// Base64url without padding (RFC 4648 §5).
    case url
  }

  static func encode(_ bytes: [UInt8], _ alphabet: Alphabet) -> String {
    let text = Data(bytes).base64EncodedData()
    return switch alphabet {
    case .standard: String(decoding: text, as: UTF8.self)
    case .url:
      String(
        decoding: text.prefix { $0 != UInt8(ascii: "=") }.map { digit in
          switch digit {
          case UInt8(ascii: "+"): UInt8(ascii: "-")
          case UInt8(ascii: "/"): UInt8(ascii: "_")
          case let digit: digit
          }
        },
        as: UTF8.self
      )
    }
  }

  /// Returns the bytes of a text; `nil` if it is invalid.
  static func decode(_ text: some StringProtocol, _ alphabet: Alphabet) -> [UInt8]? {
    var standard = Array(text.utf8)
    switch alphabet {
    case .standard: break
    case .url:
      for index in standard.indices {
        switch standard[index] {
        case UInt8(ascii: "-"): standard[index] = UInt8(ascii: "+")
        case UInt8(ascii: "_"): standard[index] = UInt8(ascii: "/")
        default: break
        }
      }
      while !standard.count.isMultiple(of: 4) { standard.append(UInt8(ascii: "=")) }
    }
    let bytes = Data(base64Encoded: Data(standard)).map { [UInt8]($0) }
    // Other texts decode to the same bytes.
    guard let bytes, encode(bytes, alphabet) == text else { return nil }
    return bytes
  }
}

/// Text of the 62 digits `0-9A-Za-z`.
enum Base62 {
  static let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

  static func contains(_ bytes: some Sequence<UInt8>) -> Bool {
    bytes.allSatisfy(digits.contains)
  }

  /// Creates random digits, each of them uniformly distributed.
  static func random(count: Int) -> [UInt8] {
    var result: [UInt8] = []
    while result.count < count {
      // Every digit is the remainder of four of the first 248 values; others are skipped.
      for byte in SecureBytes.random(count: count) where byte < 248 && result.count < count {
        result.append(digits[Int(byte % 62)])
      }
    }
    return result
  }

  /// Writes a number in six digits, the most significant first; six digits suffice for 32 bits.
  static func sixDigits(of number: UInt32) -> [UInt8] {
    var rest = number
    var result: [UInt8] = []
    for _ in 0..<6 {
      result.append(digits[Int(rest % 62)])
      rest /= 62
    }
    return result.reversed()
  }
}

/// Names that nobody chooses, such as the epochs of a log: eight digits and lower-case letters.
package enum RandomName {
  package static func make() -> String {
    let characters = Array("0123456789abcdefghijklmnopqrstuvwxyz")
    return String((0..<8).compactMap { _ in characters.randomElement() })
  }
}

/// The checksum CRC-32 of IEEE 802.3, which detects typing errors and needs no secret.
enum CRC32 {
  static func checksum(of bytes: some Sequence<UInt8>) -> UInt32 {
    var remainder = UInt32.max
    for byte in bytes {
      remainder ^= UInt32(byte)
      for _ in 0..<8 {
        let isOdd = remainder & 1 == 1
        remainder >>= 1
        if isOdd { remainder ^= 0xEDB8_8320 }
      }
    }
    return ~remainder
  }
}
