internal import Platform

/// A validator for text that is not plain ASCII or contains A-labels, in the order of the reasons.
struct InternationalAddressValidator {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let entered: Range<Int>
  private let level: EmailLevel

  /// Creates a validator for the bytes that remain after trimming, at most 254.
  init(_ bytes: UnsafeBufferPointer<UInt8>, entered: Range<Int>, level: EmailLevel) {
    self.bytes = bytes
    self.entered = entered
    self.level = level
  }

  func address() throws(EmailAddressError) -> EmailAddress {
    let text = try decode()
    var marks = AddressMarks()
    marks.record(text)
    let sign = try marks.sign(of: bytes, entered)
    let typedLocal = text.prefix { $0.offset < sign }
    let typedDomain = text[(typedLocal.count + 1)...]
    let local = try localPart(typedLocal, entered.lowerBound..<sign, sign + 1)
    let domain = try asciiDomain(typedDomain, sign + 1..<entered.upperBound)
    // An A-label can be longer than the typed label.
    guard local.text.utf8.count + 1 + domain.utf8.count <= 254 else {
      throw EmailAddressError(.tooLong)
    }
    return EmailAddress(
      entered: String(decoding: bytes[entered], as: UTF8.self),
      normalized: local.text + "@" + domain, localLength: local.text.utf8.count,
      key: local.key + "@" + domain, isTrimmed: entered.count < bytes.count)
  }

  private var plain: ASCIIAddressValidator {
    ASCIIAddressValidator(bytes: bytes, entered: entered, level: level)
  }

  private func localPart(
    _ typed: ArraySlice<SourcePosition>, _ range: Range<Int>, _ startOfDomain: Int
  ) throws(EmailAddressError) -> LocalPart {
    let domain = startOfDomain..<entered.upperBound
    guard typed.count == range.count else {
      return try LocalPart(typed, isLegacyCarrier: LegacyCarrier.isDomain(bytes[domain]))
    }
    try plain.validateLocalPart(range, domain: domain)
    return LocalPart(plain: bytes[range])
  }

  private func asciiDomain(
    _ typed: ArraySlice<SourcePosition>, _ range: Range<Int>
  ) throws(EmailAddressError) -> String {
    // The domain is ASCII if it has as many scalars as bytes.
    if typed.count == range.count, try plain.validateDomain(range) {
      return String(asciiLowercasing: bytes[range])
    }
    return try DomainPart(typed, level: level).ascii
  }

  private func decode() throws(EmailAddressError) -> [SourcePosition] {
    var decoder = UTF8()
    var iterator = bytes[entered].makeIterator()
    var offset = entered.lowerBound
    var text: [SourcePosition] = []
    text.reserveCapacity(entered.count)
    while true {
      switch decoder.decode(&iterator) {
      case .emptyInput: return text
      case .error: throw EmailAddressError(.invalidUnicode, at: offset)
      case .scalarValue(let scalar):
        if scalar == "\u{FFFD}" || scalar.isNoncharacter {
          throw EmailAddressError(.invalidUnicode, at: offset)
        }
        text.append(SourcePosition(scalar: scalar, offset: offset))
        offset += UTF8.width(scalar)
      }
    }
  }
}
