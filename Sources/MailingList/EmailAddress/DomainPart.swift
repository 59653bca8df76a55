/// The part after the `@`: labels of letters, digits and hyphens, or international ones.
struct DomainPart {
  /// In lower case, international labels as A-labels (RFC 5890 §2.3.2.1).
  let ascii: String

  init(_ typed: [EmailJudgement.Position], level: EmailLevel) throws(EmailRefusal) {
    if typed[0].scalar == "[" { throw EmailRefusal(.domainLiteral, at: typed[0].offset) }
    if let wrong = typed.first(where: { $0.scalar.isASCII && !Self.isAllowed($0.scalar) }) {
      throw EmailRefusal(.domainCharacter, at: wrong.offset)
    }
    let labels = typed.map(\.scalar).split(
      omittingEmptySubsequences: false,
      whereSeparator: Self.isDot
    )
    let isInternational = labels.contains { label in
      label.contains { !$0.isASCII } || Self.isALabel(label)
    }
    let mapped = isInternational ? try Self.mapped(typed) : nil
    let shown = mapped.map { $0.unicode.split(separator: ".", omittingEmptySubsequences: false) }
    for checked in [labels, shown ?? labels] where checked.contains(where: \.isEmpty) {
      throw EmailRefusal(.domainDots)
    }
    for checked in [labels, shown ?? labels]
    where checked.contains(where: { $0.first == "-" || $0.last == "-" }) {
      throw EmailRefusal(.domainHyphen)
    }
    if labels.contains(where: { $0.count > 63 && $0.allSatisfy(\.isASCII) })
      || mapped?.errors.contains(.labelTooLong) == true
    {
      throw EmailRefusal(.labelTooLong)
    }
    if let mapped, let shown {
      if mapped.errors.contains(.joiner) { throw EmailRefusal(.invisibleCharacter) }
      guard mapped.errors.isDisjoint(with: .others) else {
        throw EmailRefusal(.internationalDomain)
      }
      try InternationalLabels.judge(shown.map(Array.init))
      ascii = String(decoding: mapped.ascii.lazy.map(Octet.lowercased), as: UTF8.self)
    } else {
      ascii = String(
        decoding: typed.lazy.map { Octet.lowercased(UInt8(truncatingIfNeeded: $0.scalar.value)) },
        as: UTF8.self
      )
    }
    try Self.judgeEnding(ascii, level: level)
  }

  /// The mapped domain, which may hold no more of ASCII than the typed one.
  private static func mapped(
    _ typed: [EmailJudgement.Position]
  ) throws(EmailRefusal) -> UnicodeTables.Domain {
    let text = String(String.UnicodeScalarView(typed.lazy.map(\.scalar)))
    guard let mapped = UnicodeTables.domain(text) else { throw EmailRefusal(.internationalDomain) }
    if !mapped.errors.contains(.disallowed),
      mapped.unicode.contains(where: { $0.isASCII && !isAllowed($0) })
    {
      throw EmailRefusal(.domainCharacter)
    }
    return mapped
  }

  private static func judgeEnding(_ ascii: String, level: EmailLevel) throws(EmailRefusal) {
    let labels = ascii.utf8.split(separator: UInt8(ascii: "."))
    guard labels.count >= 2, let last = labels.last else { throw EmailRefusal(.singleLabelDomain) }
    guard last.starts(with: "xn--".utf8) || (last.count >= 2 && last.allSatisfy(Octet.isLetter))
    else { throw EmailRefusal(.topLevelDomain) }
    if level == .form, SpecialUseNames.contains(last) { throw EmailRefusal(.specialUseDomain) }
  }

  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    let octet = UInt8(truncatingIfNeeded: scalar.value)
    return Octet.isLetter(octet) || Octet.isDigit(octet) || scalar == "-" || scalar == "."
  }

  /// The full stops of UTS 46 §2.3.
  private static func isDot(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "." || scalar == "\u{3002}" || scalar == "\u{FF0E}" || scalar == "\u{FF61}"
  }

  private static func isALabel(_ label: ArraySlice<Unicode.Scalar>) -> Bool {
    label.prefix(4).map { $0.properties.lowercaseMapping }.joined() == "xn--"
  }
}
