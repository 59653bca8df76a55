/// The part after the `@` where a label is international: the whole domain is mapped (UTS 46).
struct DomainPart {
  /// In lower case, international labels as A-labels (RFC 5890 §2.3.2.1).
  let ascii: String

  init(
    _ typed: ArraySlice<EmailJudgement.Position>,
    level: EmailLevel
  ) throws(EmailRefusal) {
    if let first = typed.first, first.scalar == "[" {
      throw EmailRefusal(.domainLiteral, at: first.offset)
    }
    if let wrong = typed.first(where: { $0.scalar.isASCII && !Self.isAllowed($0.scalar) }) {
      throw EmailRefusal(.domainCharacter, at: wrong.offset)
    }
    let labels = typed.split(omittingEmptySubsequences: false) { Self.isDot($0.scalar) }
    let mapped = try Self.mapped(typed)
    let shown = mapped.unicode.split(separator: ".", omittingEmptySubsequences: false)
    /// Where a label of the mapped domain was typed, if that can be told.
    func offset(of index: Int) -> Int? {
      labels.count == shown.count ? labels[index].first?.offset : nil
    }
    if let empty = labels.firstIndex(where: \.isEmpty) {
      throw EmailRefusal(.domainDots, at: Self.offset(ofDotBeside: empty, of: labels, in: typed))
    }
    if shown.contains(where: \.isEmpty) { throw EmailRefusal(.domainDots) }
    if let label = labels.first(where: { $0.first?.scalar == "-" || $0.last?.scalar == "-" }) {
      let hyphen = label.first?.scalar == "-" ? label.first : label.last
      throw EmailRefusal(.domainHyphen, at: hyphen?.offset)
    }
    if let index = shown.firstIndex(where: { $0.first == "-" || $0.last == "-" }) {
      throw EmailRefusal(.domainHyphen, at: offset(of: index))
    }
    let long = labels.first { $0.count > 63 && $0.allSatisfy(\.scalar.isASCII) }
    if long != nil || mapped.errors.contains(.labelTooLong) {
      throw EmailRefusal(.labelTooLong, at: long?.first?.offset)
    }
    if mapped.errors.contains(.joiner) {
      throw EmailRefusal(.invisibleCharacter, at: typed.first { $0.scalar.isJoiner }?.offset)
    }
    guard mapped.errors.isDisjoint(with: .fatal) else { throw EmailRefusal(.internationalDomain) }
    if let fault = InternationalLabels.fault(in: shown) {
      throw EmailRefusal(fault.reason, at: offset(of: fault.index))
    }
    ascii = String(decoding: mapped.ascii.lazy.map(Octet.lowercased), as: UTF8.self)
    try Self.judgeEnding(ascii, level: level, offset: labels.last?.first?.offset)
  }

  /// The mapped domain, which may hold no more of ASCII than the typed one.
  private static func mapped(
    _ typed: ArraySlice<EmailJudgement.Position>
  ) throws(EmailRefusal) -> UnicodeTables.Domain {
    guard let mapped = UnicodeTables.domain(typed.lazy.map(\.scalar)) else {
      throw EmailRefusal(.internationalDomain)
    }
    if !mapped.errors.contains(.disallowed),
      mapped.unicode.contains(where: { $0.isASCII && !isAllowed($0) })
    {
      throw EmailRefusal(.domainCharacter)
    }
    return mapped
  }

  private static func judgeEnding(
    _ ascii: String,
    level: EmailLevel,
    offset: Int?
  ) throws(EmailRefusal) {
    guard let dot = ascii.utf8.lastIndex(of: Octet.dot) else {
      throw EmailRefusal(.singleLabelDomain)
    }
    let ending = ascii.utf8[ascii.utf8.index(after: dot)...]
    guard Octet.beginsALabel(ending) || (ending.count >= 2 && ending.allSatisfy(Octet.isLetter))
    else { throw EmailRefusal(.topLevelDomain, at: offset) }
    if level == .form, SpecialUseNames.contains(ending) {
      throw EmailRefusal(.specialUseDomain, at: offset)
    }
  }

  /// The dot that leaves a label empty: the one after it, or the last one.
  private static func offset(
    ofDotBeside index: Int,
    of labels: [ArraySlice<EmailJudgement.Position>],
    in typed: ArraySlice<EmailJudgement.Position>
  ) -> Int? {
    let end = labels[index].endIndex
    return end < typed.endIndex ? typed[end].offset : typed.last?.offset
  }

  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    Octet.isDomainText(UInt8(truncatingIfNeeded: scalar.value))
  }

  /// The full stops of UTS 46 §2.3.
  private static func isDot(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "." || scalar == "\u{3002}" || scalar == "\u{FF0E}" || scalar == "\u{FF61}"
  }
}
