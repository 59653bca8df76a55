extension EmailAddress {
  /// Judges what was typed: the validity signal is this function.
  ///
  /// A pure function of the octets, without regular expressions, in one pass over at most 254 of
  /// them. It accepts a dot-atom (RFC 5322 §3.2.3) of at most 64 octets before the `@` and a domain
  /// of two or more LDH labels (RFC 1035 §2.3.1) of at most 63 octets after it; what is not ASCII
  /// is refused.
  ///
  /// - Parameter typed: What the person typed, of any length and content.
  /// - Returns: The address.
  /// - Throws: `EmailRefusal` with the first reason that applies.
  package static func judge(_ typed: String) throws(EmailRefusal) -> EmailAddress {
    try judging(typed) { octets throws(EmailRefusal) in
      let parts = try dissect(octets)
      let domain = String(decoding: parts.domain.lazy.map(lowercased), as: UTF8.self)
      let localKey = String(decoding: parts.local.lazy.map(lowercased), as: UTF8.self)
      return EmailAddress(
        entered: String(decoding: parts.entered, as: UTF8.self),
        local: String(decoding: parts.local, as: UTF8.self),
        asciiDomain: domain,
        key: "\(localKey)@\(domain)"
      )
    }
    .get()
  }

  /// Whether an address would be accepted; makes nothing of it.
  ///
  /// - Parameter typed: What the person typed, of any length and content.
  /// - Returns: Whether `judge` returns an address for it.
  package static func isValid(_ typed: String) -> Bool {
    switch judging(typed, { octets throws(EmailRefusal) in _ = try dissect(octets) }) {
    case .success: true
    case .failure: false
    }
  }

  private typealias Octets = Slice<UnsafeBufferPointer<UInt8>>

  /// The parts of a valid address.
  private struct Parts {
    let entered: Octets
    let local: Octets
    let domain: Octets
  }

  /// Lends the octets of a text to a judgement.
  private static func judging<Judgement>(
    _ typed: String,
    _ judgement: (Octets) throws(EmailRefusal) -> Judgement
  ) -> Result<Judgement, EmailRefusal> {
    var typed = typed
    return typed.withUTF8 { octets in
      Result { () throws(EmailRefusal) in try judgement(octets[...]) }
    }
  }

  private static func dissect(_ octets: Octets) throws(EmailRefusal) -> Parts {
    guard octets.count <= 1024 else { throw EmailRefusal(.tooLong) }
    let trimmed = trim(octets)
    guard !trimmed.isEmpty else { throw EmailRefusal(.empty) }
    guard trimmed.count <= 254 else { throw EmailRefusal(.tooLong) }
    try refuseEverywhere(trimmed)
    guard let at = trimmed.firstIndex(of: UInt8(ascii: "@")) else {
      throw EmailRefusal(.missingAt)
    }
    let local = trimmed[..<at]
    let domain = trimmed[(at + 1)...]
    guard !domain.contains(UInt8(ascii: "@")) else { throw EmailRefusal(.multipleAt) }
    try judgeLocal(local, domain: domain)
    try judgeDomain(domain)
    return Parts(entered: trimmed, local: local, domain: domain)
  }

  /// Tab, space, U+00A0 and U+3000.
  private static let edges: [[UInt8]] = [[0x20], [0x09], [0xC2, 0xA0], [0xE3, 0x80, 0x80]]

  /// Takes white space that is typed or pasted by accident off both ends; nothing else is ever
  /// trimmed.
  private static func trim(_ octets: Octets) -> Octets {
    // Nearly always there is nothing to trim.
    if let first = octets.first, let last = octets.last, isAtomText(first), isAtomText(last) {
      return octets
    }
    var rest = octets
    while let edge = edges.first(where: { rest.starts(with: $0) }) {
      rest = rest.dropFirst(edge.count)
    }
    while let edge = edges.first(where: { rest.suffix($0.count).elementsEqual($0) }) {
      rest = rest.dropLast(edge.count)
    }
    return rest
  }

  /// What is refused wherever it stands, in the order of the reasons.
  private static func refuseEverywhere(_ octets: Octets) throws(EmailRefusal) {
    // Nearly all that is typed is made of the octets of an address, and there is nothing to find.
    guard
      !octets.allSatisfy({ isAtomText($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "@") })
    else { return }
    let isASCII = octets.allSatisfy { $0 < 0x80 }
    let scalars = isASCII ? [] : Array(String(decoding: octets, as: UTF8.self).unicodeScalars)
    // U+FFFD stands where ill-formed octets were.
    if scalars.contains(where: { $0 == "\u{FFFD}" || $0.properties.isNoncharacterCodePoint }) {
      throw EmailRefusal(.invalidUnicode)
    }
    if octets.contains(where: { $0 < 0x20 || $0 == 0x7F })
      || scalars.contains(where: isControlBeyondASCII)
    {
      throw EmailRefusal(.controlCharacter)
    }
    if octets.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: ">") }) {
      throw EmailRefusal(.displayName)
    }
    if octets.first == UInt8(ascii: "\"") { throw EmailRefusal(.quotedLocalPart) }
    if octets.contains(where: { $0 == UInt8(ascii: "(") || $0 == UInt8(ascii: ")") }) {
      throw EmailRefusal(.comment)
    }
    if octets.contains(UInt8(ascii: " "))
      || scalars.contains(where: { $0.properties.generalCategory == .spaceSeparator })
    {
      throw EmailRefusal(.whitespace)
    }
  }

  private static func isControlBeyondASCII(_ scalar: Unicode.Scalar) -> Bool {
    (0x80...0x9F).contains(scalar.value) || scalar == "\u{2028}" || scalar == "\u{2029}"
  }

  private static func judgeLocal(_ local: Octets, domain: Octets) throws(EmailRefusal) {
    guard !local.isEmpty else { throw EmailRefusal(.missingLocalPart) }
    guard !domain.isEmpty else { throw EmailRefusal(.missingDomain) }
    guard local.count <= 64 else { throw EmailRefusal(.localTooLong) }
    guard local.allSatisfy({ isAtomText($0) || $0 == UInt8(ascii: ".") }) else {
      throw EmailRefusal(.localCharacter)
    }
    guard !hasEmptyPart(local) else { throw EmailRefusal(.localDots) }
  }

  private static func judgeDomain(_ domain: Octets) throws(EmailRefusal) {
    if domain.first == UInt8(ascii: "[") { throw EmailRefusal(.domainLiteral) }
    guard domain.allSatisfy({ isLetterOrDigit($0) || $0 == hyphen || $0 == UInt8(ascii: ".") })
    else {
      throw EmailRefusal(.domainCharacter)
    }
    guard !hasEmptyPart(domain) else { throw EmailRefusal(.domainDots) }
    let labels = domain.split(separator: UInt8(ascii: "."))
    guard labels.allSatisfy({ $0.first != hyphen && $0.last != hyphen }) else {
      throw EmailRefusal(.domainHyphen)
    }
    guard labels.allSatisfy({ $0.count <= 63 }) else { throw EmailRefusal(.labelTooLong) }
    guard labels.count >= 2, let last = labels.last else {
      throw EmailRefusal(.singleLabelDomain)
    }
    guard isALabel(last) || (last.count >= 2 && last.allSatisfy(isLetter)) else {
      throw EmailRefusal(.topLevelDomain)
    }
  }

  /// Whether a label is an internationalised one in its ASCII form (RFC 5890 §2.3.2.1).
  private static func isALabel(_ label: Octets) -> Bool {
    label.count > 4 && label.lazy.map(lowercased).starts(with: "xn--".utf8)
  }

  /// Whether a dot is first, last or doubled.
  private static func hasEmptyPart(_ octets: Octets) -> Bool {
    var previous = UInt8(ascii: ".")
    for octet in octets {
      if octet == UInt8(ascii: "."), previous == octet { return true }
      previous = octet
    }
    return previous == UInt8(ascii: ".")
  }

  private static let hyphen = UInt8(ascii: "-")

  private static func isLetter(_ octet: UInt8) -> Bool {
    let letter = octet | 0x20
    return letter >= UInt8(ascii: "a") && letter <= UInt8(ascii: "z")
  }

  private static func isLetterOrDigit(_ octet: UInt8) -> Bool {
    isLetter(octet) || (octet >= UInt8(ascii: "0") && octet <= UInt8(ascii: "9"))
  }

  /// `atext` of RFC 5322 §3.2.3.
  private static func isAtomText(_ octet: UInt8) -> Bool {
    if isLetterOrDigit(octet) { return true }
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

  private static func lowercased(_ octet: UInt8) -> UInt8 {
    octet >= UInt8(ascii: "A") && octet <= UInt8(ascii: "Z") ? octet | 0x20 : octet
  }
}
