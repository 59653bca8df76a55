internal import Platform

extension UInt8 {
  static var dot: UInt8 { UInt8(ascii: ".") }
  static var hyphen: UInt8 { UInt8(ascii: "-") }

  /// Whether this byte is `atext` (RFC 5322 §3.2.3).
  var isAtomText: Bool {
    if isASCIILetter || isASCIIDigit { return true }
    switch self {
    case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"),
      UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), .hyphen,
      UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: "?"), UInt8(ascii: "^"),
      UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"),
      UInt8(ascii: "}"), UInt8(ascii: "~"):
      return true
    default:
      return false
    }
  }

  /// Whether this byte is a letter, digit, hyphen or dot, the characters of a domain.
  var isDomainText: Bool {
    isASCIILetter || isASCIIDigit || self == .hyphen || self == .dot
  }
}

extension Collection<UInt8> {
  /// Whether this label starts like an A-label (RFC 5890 §2.3.2.1); it is not necessarily valid.
  var beginsALabel: Bool {
    starts(with: "xn--".utf8) { $0.asciiLowercased == $1 }
  }
}
