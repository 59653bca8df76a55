/// The judgement of plain ASCII: every check in the order of the reasons, on bytes alone.
///
/// Nothing is allocated, whatever comes in: an attacker's input costs no more than anybody's.
struct PlainJudgement {
  /// What can be said without the tables of Unicode.
  enum Verdict {
    /// An address.
    ///
    /// - Parameters:
    ///   - sign: Where the `@` stands.
    ///   - entered: What is left after trimming.
    case accepted(sign: Int, entered: Range<Int>)
    /// Not an address.
    case refused(EmailRefusal)
    /// Not ASCII, or with A-labels: the tables decide.
    case international(entered: Range<Int>)
  }

  let bytes: UnsafeBufferPointer<UInt8>
  let entered: Range<Int>
  let level: EmailLevel

  /// Judges bytes, which need not be UTF-8.
  ///
  /// - Parameters:
  ///   - bytes: What was typed, of any length.
  ///   - level: How strictly it is judged.
  /// - Returns: The verdict.
  static func verdict(on bytes: UnsafeBufferPointer<UInt8>, level: EmailLevel) -> Verdict {
    if let sign = ASCIIAddress.sign(in: bytes, level: level) {
      return .accepted(sign: sign, entered: 0..<bytes.count)
    }
    guard bytes.count <= 1024 else { return .refused(EmailRefusal(.tooLong)) }
    let entered = trimmed(bytes)
    if entered.isEmpty { return .refused(EmailRefusal(.empty)) }
    guard entered.count <= 254 else { return .refused(EmailRefusal(.tooLong)) }
    guard bytes[entered].allSatisfy({ $0 < 0x80 }) else {
      return .international(entered: entered)
    }
    return PlainJudgement(bytes: bytes, entered: entered, level: level).verdict()
  }

  /// Takes tabs and the spaces that keyboards make off both ends: tab, space, U+00A0 and U+3000.
  private static func trimmed(_ bytes: UnsafeBufferPointer<UInt8>) -> Range<Int> {
    var rest = 0..<bytes.count
    while let width = widthOfSpace(bytes[rest], fromEnd: false) {
      rest = rest.lowerBound + width..<rest.upperBound
    }
    while let width = widthOfSpace(bytes[rest], fromEnd: true) {
      rest = rest.lowerBound..<rest.upperBound - width
    }
    return rest
  }

  private static func widthOfSpace(
    _ bytes: Slice<UnsafeBufferPointer<UInt8>>,
    fromEnd: Bool
  ) -> Int? {
    guard let byte = fromEnd ? bytes.last : bytes.first else { return nil }
    if byte == 0x20 || byte == 0x09 { return 1 }
    guard byte >= 0x80 else { return nil }
    if (fromEnd ? bytes.suffix(2) : bytes.prefix(2)).elementsEqual(noBreakSpace) { return 2 }
    if (fromEnd ? bytes.suffix(3) : bytes.prefix(3)).elementsEqual(ideographicSpace) { return 3 }
    return nil
  }

  private static let noBreakSpace: [UInt8] = [0xC2, 0xA0]
  private static let ideographicSpace: [UInt8] = [0xE3, 0x80, 0x80]

  private func verdict() -> Verdict {
    do throws(EmailRefusal) {
      let sign = try self.sign()
      try judgeLocalPart(entered.lowerBound..<sign, domain: sign + 1..<entered.upperBound)
      guard try judgeDomain(sign + 1..<entered.upperBound) else {
        return .international(entered: entered)
      }
      return .accepted(sign: sign, entered: entered)
    } catch {
      return .refused(error)
    }
  }

  private func refuse(
    _ reason: EmailRefusal.Reason,
    in range: Range<Int>,
    where applies: (UInt8) -> Bool
  ) throws(EmailRefusal) {
    for index in range where applies(bytes[index]) { throw EmailRefusal(reason, at: index) }
  }

  /// Looks for what is refused wherever it stands, and for the `@`.
  private func sign() throws(EmailRefusal) -> Int {
    var marks = AddressMarks()
    marks.note(bytes, entered)
    return try marks.sign(of: bytes, entered)
  }

  /// Judges a local part that is ASCII.
  func judgeLocalPart(
    _ local: Range<Int>,
    domain: Range<Int>
  ) throws(EmailRefusal) {
    if local.count > 64 { throw EmailRefusal(.localTooLong, at: local.lowerBound) }
    try refuse(.localCharacter, in: local) { $0 != ASCIIByte.dot && !ASCIIByte.isAtomText($0) }
    for index in local where bytes[index] == ASCIIByte.dot {
      let isFirst = index == local.lowerBound
      let isLastOrDoubled =
        index == local.upperBound - 1 || (!isFirst && bytes[index - 1] == ASCIIByte.dot)
      if isFirst || (isLastOrDoubled && !LegacyCarrier.isDomain(bytes[domain])) {
        throw EmailRefusal(.localDots, at: index)
      }
    }
  }

  /// Judges a domain that is ASCII.
  ///
  /// - Returns: Whether it was judged; not when a label is an A-label, which the tables judge.
  func judgeDomain(_ domain: Range<Int>) throws(EmailRefusal) -> Bool {
    if bytes[domain.lowerBound] == UInt8(ascii: "[") {
      throw EmailRefusal(.domainLiteral, at: domain.lowerBound)
    }
    try refuse(.domainCharacter, in: domain) { !ASCIIByte.isDomainText($0) }
    if hasALabel(domain) { return false }
    var start = domain.lowerBound
    var labelCount = 0
    var hyphen: Int?
    var isTooLong = false
    for index in domain.lowerBound...domain.upperBound
    where index == domain.upperBound || bytes[index] == ASCIIByte.dot {
      // The dot that should not be there: this one, or the last.
      if index == start { throw EmailRefusal(.domainDots, at: min(index, domain.upperBound - 1)) }
      if bytes[start] == ASCIIByte.hyphen {
        hyphen = hyphen ?? start
      } else if bytes[index - 1] == ASCIIByte.hyphen {
        hyphen = hyphen ?? index - 1
      }
      if index - start > 63 { isTooLong = true }
      labelCount += 1
      start = index + 1
    }
    if let hyphen { throw EmailRefusal(.domainHyphen, at: hyphen) }
    if isTooLong { throw EmailRefusal(.labelTooLong, at: startOfLongLabel(in: domain)) }
    if labelCount < 2 { throw EmailRefusal(.singleLabelDomain, at: domain.lowerBound) }
    try judgeEnding(domain)
    return true
  }

  private func judgeEnding(_ domain: Range<Int>) throws(EmailRefusal) {
    let dot = domain.last { bytes[$0] == ASCIIByte.dot } ?? domain.lowerBound
    let ending = bytes[dot + 1..<domain.upperBound]
    guard ending.count >= 2, ending.allSatisfy(ASCIIByte.isLetter) else {
      throw EmailRefusal(.topLevelDomain, at: dot + 1)
    }
    if level == .form, SpecialUseNames.contains(ending) {
      throw EmailRefusal(.specialUseDomain, at: dot + 1)
    }
  }

  private func hasALabel(_ domain: Range<Int>) -> Bool {
    var start = domain.lowerBound
    for index in domain.lowerBound...domain.upperBound
    where index == domain.upperBound || bytes[index] == ASCIIByte.dot {
      if ASCIIByte.beginsALabel(bytes[start..<index]) { return true }
      start = index + 1
    }
    return false
  }

  private func startOfLongLabel(in domain: Range<Int>) -> Int {
    var start = domain.lowerBound
    for index in domain where bytes[index] == ASCIIByte.dot {
      if index - start > 63 { return start }
      start = index + 1
    }
    return start
  }
}
