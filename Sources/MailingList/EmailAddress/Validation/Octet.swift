/// What an octet of an address may be.
enum Octet {
  static let dot = UInt8(ascii: ".")
  static let hyphen = UInt8(ascii: "-")

  static func isLetter(_ octet: UInt8) -> Bool {
    let letter = octet | 0x20
    return letter >= UInt8(ascii: "a") && letter <= UInt8(ascii: "z")
  }

  static func isDigit(_ octet: UInt8) -> Bool {
    octet >= UInt8(ascii: "0") && octet <= UInt8(ascii: "9")
  }

  /// `atext` of RFC 5322 §3.2.3.
  static func isAtomText(_ octet: UInt8) -> Bool {
    if isLetter(octet) || isDigit(octet) { return true }
    switch octet {
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

  /// What a domain is written with: letters, digits, hyphens, and dots between the labels.
  static func isDomainText(_ octet: UInt8) -> Bool {
    isLetter(octet) || isDigit(octet) || octet == hyphen || octet == dot
  }

  /// Whether a label is an A-label (RFC 5890 §2.3.2.1), or pretends to be one.
  static func beginsALabel(_ label: some Collection<UInt8>) -> Bool {
    label.starts(with: "xn--".utf8) { lowercased($0) == $1 }
  }

  static func isUppercase(_ octet: UInt8) -> Bool {
    octet >= UInt8(ascii: "A") && octet <= UInt8(ascii: "Z")
  }

  static func lowercased(_ octet: UInt8) -> UInt8 {
    isUppercase(octet) ? octet | 0x20 : octet
  }

  /// ASCII as a text in lower case, from an index on if not from the first.
  static func lowercasedText(
    _ octets: Slice<UnsafeBufferPointer<UInt8>>,
    from start: Int = 0
  ) -> String {
    String(unsafeUninitializedCapacity: octets.count) { text in
      for index in octets.indices {
        let octet = index < start ? octets[index] : lowercased(octets[index])
        text.initializeElement(at: index - octets.startIndex, to: octet)
      }
      return octets.count
    }
  }
}
