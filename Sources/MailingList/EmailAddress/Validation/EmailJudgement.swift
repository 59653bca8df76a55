/// The judgement of text that is not plain ASCII, or has A-labels: every check, in the order of the
/// reasons.
struct EmailJudgement {
  /// A scalar and the byte of the typed text at which it begins.
  struct Position {
    let scalar: Unicode.Scalar
    let offset: Int
  }

  private let bytes: UnsafeBufferPointer<UInt8>
  private let entered: Range<Int>
  private let level: EmailLevel

  /// Judges what is left after trimming, at most 254 bytes.
  init(_ bytes: UnsafeBufferPointer<UInt8>, entered: Range<Int>, level: EmailLevel) {
    self.bytes = bytes
    self.entered = entered
    self.level = level
  }

  /// Judges.
  func address() throws(EmailRefusal) -> EmailAddress {
    let text = try decode()
    var marks = AddressMarks()
    marks.note(text)
    let sign = try marks.sign(of: bytes, entered)
    let typedLocal = text.prefix { $0.offset < sign }
    let typedDomain = text[(typedLocal.count + 1)...]
    let local = try localPart(typedLocal, entered.lowerBound..<sign, sign + 1)
    let domain = try asciiDomain(typedDomain, sign + 1..<entered.upperBound)
    // An A-label can be longer than what was typed.
    guard local.text.utf8.count + 1 + domain.utf8.count <= 254 else { throw EmailRefusal(.tooLong) }
    return EmailAddress(
      entered: String(decoding: bytes[entered], as: UTF8.self),
      normalized: local.text + "@" + domain,
      localLength: local.text.utf8.count,
      key: local.key + "@" + domain,
      isTrimmed: entered.count < bytes.count
    )
  }

  private var plain: PlainJudgement {
    PlainJudgement(bytes: bytes, entered: entered, level: level)
  }

  private func localPart(
    _ typed: ArraySlice<Position>,
    _ range: Range<Int>,
    _ startOfDomain: Int
  ) throws(EmailRefusal) -> LocalPart {
    let domain = startOfDomain..<entered.upperBound
    guard typed.count == range.count else {
      return try LocalPart(typed, isLegacyCarrier: LegacyCarrier.isDomain(bytes[domain]))
    }
    try plain.judgeLocalPart(range, domain: domain)
    return LocalPart(plain: bytes[range])
  }

  private func asciiDomain(
    _ typed: ArraySlice<Position>,
    _ range: Range<Int>
  ) throws(EmailRefusal) -> String {
    // As many scalars as bytes: it is ASCII.
    if typed.count == range.count, try plain.judgeDomain(range) {
      return ASCIIByte.lowercasedText(bytes[range])
    }
    return try DomainPart(typed, level: level).ascii
  }

  private func decode() throws(EmailRefusal) -> [Position] {
    var decoder = UTF8()
    var iterator = bytes[entered].makeIterator()
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
}
