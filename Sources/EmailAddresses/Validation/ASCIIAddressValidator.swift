internal import Platform

/// A validator for plain ASCII that checks bytes in the order of the reasons.
///
/// The validator never allocates memory: hostile input costs no more than any other.
struct ASCIIAddressValidator {
  /// The result of a validation without Unicode tables.
  enum Outcome {
    /// The bytes are a valid address; `entered` is the range that remains after trimming.
    case valid(sign: Int, entered: Range<Int>)
    case invalid(EmailAddressError)
    /// The bytes are not ASCII or contain A-labels; they need the Unicode tables.
    case international(entered: Range<Int>)
  }

  let bytes: UnsafeBufferPointer<UInt8>
  let entered: Range<Int>
  let level: EmailLevel

  /// Validates bytes of any length, which are not necessarily UTF-8.
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

  /// Trims the white space that keyboards produce from both ends: tab, space, U+00A0 and U+3000.
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
    _ bytes: Slice<UnsafeBufferPointer<UInt8>>, fromEnd: Bool
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
    _ reason: EmailAddressError.Reason, in range: Range<Int>, where applies: (UInt8) -> Bool
  ) throws(EmailAddressError) {
    for index in range where applies(bytes[index]) { throw EmailAddressError(reason, at: index) }
  }

  /// Finds the `@`, and rejects characters that are invalid at any position.
  private func sign() throws(EmailAddressError) -> Int {
    var marks = AddressMarks()
    marks.record(bytes, entered)
    return try marks.sign(of: bytes, entered)
  }

  func validateLocalPart(_ local: Range<Int>, domain: Range<Int>) throws(EmailAddressError) {
    if local.count > 64 { throw EmailAddressError(.localTooLong, at: local.lowerBound) }
    try reject(.localCharacter, in: local) { $0 != .dot && !$0.isAtomText }
    for index in local where bytes[index] == .dot {
      let isFirst = index == local.lowerBound
      let isLastOrDoubled =
        index == local.upperBound - 1 || (!isFirst && bytes[index - 1] == .dot)
      if isFirst || (isLastOrDoubled && !LegacyCarrier.isDomain(bytes[domain])) {
        throw EmailAddressError(.localDots, at: index)
      }
    }
  }

  /// Validates an ASCII domain.
  ///
  /// - Returns: `false` if a label is an A-label, which only the Unicode tables can validate.
  func validateDomain(_ domain: Range<Int>) throws(EmailAddressError) -> Bool {
    if bytes[domain.lowerBound] == UInt8(ascii: "[") {
      throw EmailAddressError(.domainLiteral, at: domain.lowerBound)
    }
    try reject(.domainCharacter, in: domain) { !$0.isDomainText }
    if hasALabel(domain) { return false }
    var start = domain.lowerBound
    var labelCount = 0
    var hyphen: Int?
    var isTooLong = false
    for index in domain.lowerBound...domain.upperBound
    where index == domain.upperBound || bytes[index] == .dot {
      // Report the superfluous dot: this one, or the last one.
      if index == start {
        throw EmailAddressError(.domainDots, at: min(index, domain.upperBound - 1))
      }
      if bytes[start] == .hyphen {
        hyphen = hyphen ?? start
      } else if bytes[index - 1] == .hyphen {
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
    let dot = domain.last { bytes[$0] == .dot } ?? domain.lowerBound
    let ending = bytes[dot + 1..<domain.upperBound]
    guard ending.count >= 2, ending.allSatisfy({ $0.isASCIILetter }) else {
      throw EmailAddressError(.topLevelDomain, at: dot + 1)
    }
    if level == .form, SpecialUseNames.contains(ending) {
      throw EmailAddressError(.specialUseDomain, at: dot + 1)
    }
  }

  private func hasALabel(_ domain: Range<Int>) -> Bool {
    var start = domain.lowerBound
    for index in domain.lowerBound...domain.upperBound
    where index == domain.upperBound || bytes[index] == .dot {
      if bytes[start..<index].beginsALabel { return true }
      start = index + 1
    }
    return false
  }

  private func startOfLongLabel(in domain: Range<Int>) -> Int {
    var start = domain.lowerBound
    for index in domain where bytes[index] == .dot {
      if index - start > 63 { return start }
      start = index + 1
    }
    return start
  }
}
