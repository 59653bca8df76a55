/// The judgement of text that is not plain ASCII, or has A-labels: every check, in the order of the
/// reasons.
struct EmailJudgement {
  /// A scalar and the octet of the typed text at which it begins.
  struct Position {
    let scalar: Unicode.Scalar
    let offset: Int
  }

  private let octets: UnsafeBufferPointer<UInt8>
  private let entered: Range<Int>
  private let level: EmailLevel

  /// Judges what is left after trimming, at most 254 octets.
  init(_ octets: UnsafeBufferPointer<UInt8>, entered: Range<Int>, level: EmailLevel) {
    self.octets = octets
    self.entered = entered
    self.level = level
  }

  /// Judges.
  func address() throws(EmailRefusal) -> EmailAddress {
    let text = try decode()
    try refuseEverywhere(text)
    guard let sign = text.firstIndex(where: { $0.scalar == "@" }) else {
      throw EmailRefusal(.missingAt)
    }
    let typedLocal = text[..<sign]
    let typedDomain = text[(sign + 1)...]
    if let second = typedDomain.first(where: { $0.scalar == "@" }) {
      throw EmailRefusal(.multipleAt, at: second.offset)
    }
    if typedLocal.isEmpty { throw EmailRefusal(.missingLocalPart, at: text[sign].offset) }
    guard let first = typedDomain.first else { throw EmailRefusal(.missingDomain) }
    let local = try localPart(typedLocal, entered.lowerBound..<text[sign].offset, first.offset)
    let domain = try asciiDomain(typedDomain, first.offset..<entered.upperBound)
    // An A-label can be longer than what was typed.
    guard local.text.utf8.count + 1 + domain.utf8.count <= 254 else { throw EmailRefusal(.tooLong) }
    return EmailAddress(
      entered: String(decoding: octets[entered], as: UTF8.self),
      local: local.text,
      asciiDomain: domain,
      key: local.key + "@" + domain,
      isTrimmed: entered.count < octets.count
    )
  }

  private var plain: PlainJudgement {
    PlainJudgement(octets: octets, entered: entered, level: level)
  }

  private func localPart(
    _ typed: ArraySlice<Position>,
    _ range: Range<Int>,
    _ startOfDomain: Int
  ) throws(EmailRefusal) -> LocalPart {
    let domain = startOfDomain..<entered.upperBound
    guard typed.count == range.count else {
      return try LocalPart(typed, isLegacyCarrier: LegacyCarrier.isDomain(octets[domain]))
    }
    try plain.judgeLocalPart(range, domain: domain)
    return LocalPart(plain: octets[range])
  }

  private func asciiDomain(
    _ typed: ArraySlice<Position>,
    _ range: Range<Int>
  ) throws(EmailRefusal) -> String {
    // As many scalars as octets: it is ASCII.
    if typed.count == range.count, try plain.judgeDomain(range) {
      return Octet.lowercasedText(octets[range])
    }
    return try DomainPart(typed, level: level).ascii
  }

  private func decode() throws(EmailRefusal) -> [Position] {
    var decoder = UTF8()
    var iterator = octets[entered].makeIterator()
    var offset = entered.lowerBound
    var text: [Position] = []
    text.reserveCapacity(entered.count)
    while true {
      switch decoder.decode(&iterator) {
      case .emptyInput: return text
      case .error: throw EmailRefusal(.invalidUnicode, at: offset)
      case .scalarValue(let scalar):
        if scalar == "\u{FFFD}" || scalar.isNoncharacter {
          throw EmailRefusal(.invalidUnicode, at: offset)
        }
        text.append(Position(scalar: scalar, offset: offset))
        offset += UTF8.width(scalar)
      }
    }
  }

  /// What is refused wherever it stands.
  private func refuseEverywhere(_ text: [Position]) throws(EmailRefusal) {
    func refuse(
      _ reason: EmailRefusal.Reason,
      _ applies: (Unicode.Scalar) -> Bool
    ) throws(EmailRefusal) {
      if let first = text.first(where: { applies($0.scalar) }) {
        throw EmailRefusal(reason, at: first.offset)
      }
    }
    try refuse(.controlCharacter) {
      $0.value < 0x20 || (0x7F...0x9F).contains($0.value) || $0 == "\u{2028}" || $0 == "\u{2029}"
    }
    try refuse(.displayName) { $0 == "<" || $0 == ">" }
    if text.first?.scalar == "\"" { throw EmailRefusal(.quotedLocalPart, at: entered.lowerBound) }
    try refuse(.comment) { $0 == "(" || $0 == ")" }
    try refuse(.whitespace) {
      $0 == " " || (!$0.isASCII && $0.properties.generalCategory == .spaceSeparator)
    }
    var previous: Unicode.Scalar = "@"
    for position in text {
      if position.scalar.isInvisible(after: previous) {
        throw EmailRefusal(.invisibleCharacter, at: position.offset)
      }
      previous = position.scalar
    }
  }
}
