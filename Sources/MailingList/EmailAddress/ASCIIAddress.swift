/// The way that nearly every address goes: one pass over its octets, without an allocation.
enum ASCIIAddress {
  /// Where the `@` of a plain address stands.
  ///
  /// - Parameters:
  ///   - octets: What was typed.
  ///   - level: How strictly it is judged.
  /// - Returns: The index, or `nil` for whatever takes a closer look; that may be valid as well.
  static func sign(in octets: UnsafeBufferPointer<UInt8>, level: EmailLevel) -> Int? {
    guard octets.count <= 254 else { return nil }
    let dot = UInt8(ascii: ".")
    var index = 0
    var previous = dot
    while index < octets.count {
      let octet = octets[index]
      if octet == UInt8(ascii: "@") { break }
      guard octet == dot ? previous != dot : Octet.isAtomText(octet) else { return nil }
      previous = octet
      index += 1
    }
    let sign = index
    guard sign < octets.count, previous != dot, sign <= 64 else { return nil }
    var start = sign + 1
    var labelCount = 0
    var isAlphabetic = true
    previous = dot
    index = start
    while index < octets.count {
      let octet = octets[index]
      if octet == dot {
        guard isLabel(octets, start, index) else { return nil }
        labelCount += 1
        start = index + 1
        isAlphabetic = true
      } else if !Octet.isLetter(octet) {
        guard Octet.isDigit(octet) || octet == Octet.hyphen else { return nil }
        isAlphabetic = false
      }
      index += 1
    }
    guard isAlphabetic, labelCount > 0, index - start >= 2, isLabel(octets, start, index)
    else { return nil }
    if level == .form, SpecialUseNames.contains(octets[start...]) { return nil }
    return sign
  }

  private static func isLabel(
    _ octets: UnsafeBufferPointer<UInt8>,
    _ start: Int,
    _ end: Int
  ) -> Bool {
    let count = end - start
    guard count > 0, count <= 63, octets[start] != Octet.hyphen, octets[end - 1] != Octet.hyphen
    else { return false }
    // An A-label takes a closer look.
    return count < 4 || octets[start + 2] != Octet.hyphen || octets[start + 3] != Octet.hyphen
      || octets[start] | 0x20 != UInt8(ascii: "x") || octets[start + 1] | 0x20 != UInt8(ascii: "n")
  }
}

/// What an octet of an address may be.
enum Octet {
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

  static func lowercased(_ octet: UInt8) -> UInt8 {
    octet >= UInt8(ascii: "A") && octet <= UInt8(ascii: "Z") ? octet | 0x20 : octet
  }
}

/// Names below which no mail can be received from outside.
///
/// RFC 6761, 6762 (`local`), 7686 (`onion`), 9476 (`alt`), 3172 (`arpa`), and `internal`, which is
/// reserved for private use. RFC 6761 §6.5 advises to take `example` for any other name; nobody can
/// have a mailbox there, so it is refused on purpose.
enum SpecialUseNames {
  private static let names: [StaticString] = [
    "test", "invalid", "localhost", "example", "local", "onion", "alt", "internal", "arpa",
  ]

  /// Whether the last label of a domain is one of them, in any case.
  static func contains(_ label: some Collection<UInt8>) -> Bool {
    guard (3...9).contains(label.count) else { return false }
    return names.contains { name in
      name.withUTF8Buffer { octets in
        octets.count == label.count
          && zip(octets, label).allSatisfy { $0 == Octet.lowercased($1) }
      }
    }
  }
}
