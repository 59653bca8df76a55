/// Classes and letter case of the ASCII bytes in addresses.
enum ASCIIByte {
  static let dot = UInt8(ascii: ".")
  static let hyphen = UInt8(ascii: "-")

  static func isLetter(_ byte: UInt8) -> Bool {
    let letter = byte | 0x20
    return letter >= UInt8(ascii: "a") && letter <= UInt8(ascii: "z")
  }

  static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  /// Whether a byte is `atext` (RFC 5322 §3.2.3).
  static func isAtomText(_ byte: UInt8) -> Bool {
    if isLetter(byte) || isDigit(byte) { return true }
    switch byte {
    case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"),
      UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), hyphen,
      UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: "?"), UInt8(ascii: "^"),
      UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"),
      UInt8(ascii: "}"), UInt8(ascii: "~"):
      return true
    default:
      return false
    }
  }

  /// Whether a byte is a letter, digit, hyphen or dot, the characters of a domain.
  static func isDomainText(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte) || byte == hyphen || byte == dot
  }

  /// Whether a label starts like an A-label (RFC 5890 §2.3.2.1); it is not necessarily valid.
  static func beginsALabel(_ label: some Collection<UInt8>) -> Bool {
    label.starts(with: "xn--".utf8) { lowercased($0) == $1 }
  }

  static func isUppercase(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
  }

  static func lowercased(_ byte: UInt8) -> UInt8 {
    isUppercase(byte) ? byte | 0x20 : byte
  }

  /// Returns ASCII bytes as a string, in lowercase from an index on.
  static func lowercasedText(
    _ bytes: Slice<UnsafeBufferPointer<UInt8>>,
    from start: Int = 0
  ) -> String {
    String(unsafeUninitializedCapacity: bytes.count) { text in
      for index in bytes.indices {
        let byte = index < start ? bytes[index] : lowercased(bytes[index])
        text.initializeElement(at: index - bytes.startIndex, to: byte)
      }
      return bytes.count
    }
  }
}
