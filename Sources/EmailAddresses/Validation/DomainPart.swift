internal import Platform

/// The part after the `@` when a label is international; the whole domain is mapped (UTS 46).
struct DomainPart {
  /// The domain in lowercase, with international labels as A-labels (RFC 5890 §2.3.2.1).
  let ascii: String

  init(_ typed: ArraySlice<SourcePosition>, level: EmailLevel) throws(EmailAddressError) {
    if let first = typed.first, first.scalar == "[" {
      throw EmailAddressError(.domainLiteral, at: first.offset)
    }
    if let wrong = typed.first(where: { $0.scalar.isASCII && !Self.isAllowed($0.scalar) }) {
      throw EmailAddressError(.domainCharacter, at: wrong.offset)
    }
    let domain = try MappedDomain(typed)
    try domain.validate()
    ascii = domain.ascii
    try Self.validateEnding(ascii, level: level, at: domain.ending)
  }

  private static func validateEnding(
    _ ascii: String, level: EmailLevel, at offset: (domain: Int?, ending: Int?)
  ) throws(EmailAddressError) {
    guard let dot = ascii.utf8.lastIndex(of: .dot) else {
      throw EmailAddressError(.singleLabelDomain, at: offset.domain)
    }
    let ending = ascii.utf8[ascii.utf8.index(after: dot)...]
    guard ending.beginsALabel || (ending.count >= 2 && ending.allSatisfy({ $0.isASCIILetter }))
    else { throw EmailAddressError(.topLevelDomain, at: offset.ending) }
    if level == .form, SpecialUseNames.contains(ending) {
      throw EmailAddressError(.specialUseDomain, at: offset.ending)
    }
  }

  static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isASCII && UInt8(truncatingIfNeeded: scalar.value).isDomainText
  }
}
