/// The validation of plain ASCII: every check in the order of the reasons, on bytes alone.
///
/// Nothing is allocated, whatever comes in: an attacker's input costs no more than anybody's.
struct ASCIIAddressValidator {
  /// What can be said without the tables of Unicode.
  enum Outcome {
    /// An address.
    ///
    /// - Parameters:
    ///   - sign: Where the `@` stands.
    ///   - entered: What is left after trimming.
    case valid(sign: Int, entered: Range<Int>)
    /// Not an address.
    case invalid(EmailAddressError)
    /// Not ASCII, or with A-labels: the tables decide.
    case international(entered: Range<Int>)
  }

  let bytes: UnsafeBufferPointer<UInt8>
  let entered: Range<Int>
  let level: EmailLevel

  /// Validates bytes, which need not be UTF-8.
  ///
  /// - Parameters:
  ///   - bytes: What was typed, of any length.
  ///   - level: How strictly it is validated.
  /// - Returns: The result.
  static func validate(_ bytes: UnsafeBufferPointer<UInt8>, level: EmailLevel) -> Outcome {
    if let sign = ASCIIAddress.sign(in: bytes, level: level) {
      return .valid(sign: sign, entered: 0..<bytes.count)
    }
    guard bytes.count <= 1024 else { return .invalid(EmailAddressError(.tooLong)) }
    let entered = trimmed(bytes)
    if entered.isEmpty { return .invalid(EmailAddressError(.empty)) }
    guard entered.count <= 254 else { return .invalid(EmailAddressError(.tooLong)) }
    guard bytes[entered].allSatisfy({ $0 < 0x80 }) else {
      return .international(entered: entered)
    }
    return ASCIIAddressValidator(bytes: bytes, entered: entered, level: level).validate()
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

  private func validate() -> Outcome {
    do throws(EmailAddressError) {
      let sign = try self.sign()
      try validateLocalPart(entered.lowerBound..<sign, domain: sign + 1..<entered.upperBound)
      guard try validateDomain(sign + 1..<entered.upperBound) else {
        return .international(entered: entered)
      }
      return .valid(sign: sign, entered: entered)
    } catch {
      return .invalid(error)
    }
  }

  private func reject(
    _ reason: EmailAddressError.Reason,
    in range: Range<Int>,
    where applies: (UInt8) -> Bool
  ) throws(EmailAddressError) {
    for index in range where applies(bytes[index]) { throw EmailAddressError(reason, at: index) }
  }

  /// Looks for what is rejected wherever it stands, and for the `@`.
  private func sign() throws(EmailAddressError) -> Int {
    var marks = AddressMarks()
    marks.record(bytes, entered)
    return try marks.sign(of: bytes, entered)
  }

  /// Validates a local part that is ASCII.
  func validateLocalPart(
    _ local: Range<Int>,
    domain: Range<Int>
  ) throws(EmailAddressError) {
    if local.count > 64 { throw EmailAddressError(.localTooLong, at: local.lowerBound) }
    try reject(.localCharacter, in: local) { $0 != ASCIIByte.dot && !ASCIIByte.isAtomText($0) }
    for index in local where bytes[index] == ASCIIByte.dot {
      let isFirst = index == local.lowerBound
      let isLastOrDoubled =
        index == local.upperBound - 1 || (!isFirst && bytes[index - 1] == ASCIIByte.dot)
      if isFirst || (isLastOrDoubled && !LegacyCarrier.isDomain(bytes[domain])) {
        throw EmailAddressError(.localDots, at: index)
      }
    }
  }

  /// Validates a domain that is ASCII.
  ///
  /// - Returns: Whether it was validated; not when a label is an A-label, which the tables validate.
  func validateDomain(_ domain: Range<Int>) throws(EmailAddressError) -> Bool {
    if bytes[domain.lowerBound] == UInt8(ascii: "[") {
      throw EmailAddressError(.domainLiteral, at: domain.lowerBound)
    }
    try reject(.domainCharacter, in: domain) { !ASCIIByte.isDomainText($0) }
    if hasALabel(domain) { return false }
    var start = domain.lowerBound
    var labelCount = 0
    var hyphen: Int?
    var isTooLong = false
    for index in domain.lowerBound...domain.upperBound
    where index == domain.upperBound || bytes[index] == ASCIIByte.dot {
      // The dot that should not be there: this one, or the last.
      if index == start {
        throw EmailAddressError(.domainDots, at: min(index, domain.upperBound - 1))
      }
      if bytes[start] == ASCIIByte.hyphen {
        hyphen = hyphen ?? start
      } else if bytes[index - 1] == ASCIIByte.hyphen {
        hyphen = hyphen ?? index - 1
      }
      if index - start > 63 { isTooLong = true }
      labelCount += 1
      start = index + 1
    }
    if let hyphen { throw EmailAddressError(.domainHyphen, at: hyphen) }
    if isTooLong { throw EmailAddressError(.labelTooLong, at: startOfLongLabel(in: domain)) }
    if labelCount < 2 { throw EmailAddressError(.singleLabelDomain, at: domain.lowerBound) }
    try validateEnding(domain)
    return true
  }

  private func validateEnding(_ domain: Range<Int>) throws(EmailAddressError) {
    let dot = domain.last { bytes[$0] == ASCIIByte.dot } ?? domain.lowerBound
    let ending = bytes[dot + 1..<domain.upperBound]
    guard ending.count >= 2, ending.allSatisfy(ASCIIByte.isLetter) else {
      throw EmailAddressError(.topLevelDomain, at: dot + 1)
    }
    if level == .form, SpecialUseNames.contains(ending) {
      throw EmailAddressError(.specialUseDomain, at: dot + 1)
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
