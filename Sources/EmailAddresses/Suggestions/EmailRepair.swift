/// A stepwise repair of a mistyped address.
struct EmailRepair {
  /// The text after all repairs so far.
  var text: String { String(String.UnicodeScalarView(scalars)) }

  private var scalars: [Unicode.Scalar]

  init(_ typed: String) {
    // Longer text is not read, because no repair makes it valid.
    scalars = typed.utf8.count <= 1024 ? Array(typed.unicodeScalars) : []
    trim()
  }

  /// Whether a repair may succeed.
  ///
  /// Most rejected text has a reason that no repair removes, so it need not be decoded.
  static func isPossible(_ reason: EmailAddressError.Reason, _ typed: String) -> Bool {
    switch reason {
    case .missingAt: !typed.utf8.allSatisfy { $0 < 0x80 }
    case .displayName, .quotedLocalPart, .invisibleCharacter, .multipleAt, .localCharacter,
      .localDots, .domainDots, .domainCharacter, .singleLabelDomain:
      true
    case .empty, .tooLong, .invalidUnicode, .controlCharacter, .comment, .whitespace,
      .missingLocalPart, .missingDomain, .localTooLong, .domainLiteral, .domainHyphen,
      .labelTooLong, .internationalDomain, .mixedScriptDomain, .topLevelDomain, .specialUseDomain:
      false
    }
  }

  mutating func repair(_ reason: EmailAddressError.Reason) -> Bool {
    let before = scalars
    switch reason {
    case .displayName: takeBracketed()
    case .quotedLocalPart: unquote()
    case .invisibleCharacter: dropInvisible()
    case .missingAt: makeCompatible()
    case .multipleAt: collapse("@")
    case .localCharacter: if !dropScheme() { makeCompatible() }
    // The dots may be valid once the domain is repaired to that of a legacy carrier.
    case .localDots:
      repairDomainCharacters()
      if scalars == before { repairDots() }
    case .domainDots: repairDots()
    case .domainCharacter: repairDomainCharacters()
    case .singleLabelDomain: completeProvider()
    case .empty, .tooLong, .invalidUnicode, .controlCharacter, .comment, .whitespace,
      .missingLocalPart, .missingDomain, .localTooLong, .domainLiteral, .domainHyphen,
      .labelTooLong, .internationalDomain, .mixedScriptDomain, .topLevelDomain, .specialUseDomain:
      return false
    }
    return scalars != before
  }

  private mutating func trim() {
    let isEdge: (Unicode.Scalar) -> Bool = { "\t \u{A0}\u{3000}".unicodeScalars.contains($0) }
    scalars = Array(scalars.drop(while: isEdge))
    while let last = scalars.last, isEdge(last) { scalars.removeLast() }
  }

  /// Extracts the address from `Ana <ana@example.org>`.
  private mutating func takeBracketed() {
    if let opening = scalars.firstIndex(of: "<") { scalars.removeFirst(opening + 1) }
    if let closing = scalars.firstIndex(of: ">") { scalars.removeLast(scalars.count - closing) }
    trim()
  }

  /// Removes the quotes from `"ana"@example.org`.
  private mutating func unquote() {
    var unquoted: [Unicode.Scalar] = []
    var isEscaped = false
    for (index, scalar) in scalars.enumerated().dropFirst() {
      if isEscaped || (scalar != "\\" && scalar != "\"") {
        unquoted.append(scalar)
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else {
        scalars = unquoted + scalars[(index + 1)...]
        return
      }
    }
  }

  /// Removes invisible characters, except joiners that affect how their neighbors are displayed.
  private mutating func dropInvisible() {
    var kept: [Unicode.Scalar] = []
    var previous: Unicode.Scalar = "@"
    for (index, scalar) in scalars.enumerated() {
      let isInvisible =
        scalar.isJoiner
        ? !Joiner.isInContext(index, of: scalars) : scalar.isInvisible(after: previous)
      if !isInvisible { kept.append(scalar) }
      previous = scalar
    }
    scalars = kept
  }

  /// Replaces full-width letters and other compatibility forms of ASCII with ASCII.
  private mutating func makeCompatible() {
    guard !scalars.allSatisfy(\.isASCII) else { return }
    scalars = scalars.flatMap { scalar -> [Unicode.Scalar] in
      guard !scalar.isASCII, let form = UnicodeTables.compatible(scalar),
        form.contains(where: \.isASCII)
      else { return [scalar] }
      return form
    }
  }

  /// Removes the scheme of RFC 6068 from `mailto:ana@example.org`.
  private mutating func dropScheme() -> Bool {
    let scheme = "mailto:".unicodeScalars
    guard scalars.count > scheme.count,
      zip(scalars, scheme).allSatisfy({ $0.properties.lowercaseMapping == String($1) })
    else { return false }
    scalars.removeFirst(scheme.count)
    return true
  }

  private mutating func collapse(_ doubled: Unicode.Scalar) {
    scalars = scalars.indices.lazy
      .filter { [scalars] in $0 == 0 || scalars[$0] != doubled || scalars[$0 - 1] != doubled }
      .map { [scalars] in scalars[$0] }
  }

  /// Removes doubled dots, dots next to the `@`, and a trailing dot.
  private mutating func repairDots() {
    collapse(".")
    guard let sign = scalars.firstIndex(of: "@") else { return }
    if sign + 1 < scalars.count, scalars[sign + 1] == "." { scalars.remove(at: sign + 1) }
    if sign > 0, scalars[sign - 1] == "." { scalars.remove(at: sign - 1) }
    if scalars.last == "." { scalars.removeLast() }
  }

  /// Removes trailing punctuation and replaces commas in the domain with dots.
  private mutating func repairDomainCharacters() {
    while let last = scalars.last, last == "," || last == ";" || last == "." {
      scalars.removeLast()
    }
    guard let sign = scalars.firstIndex(of: "@") else { return }
    for index in scalars.indices[sign...] where scalars[index] == "," { scalars[index] = "." }
  }

  /// Completes `ana@gmail`.
  private mutating func completeProvider() {
    guard let sign = scalars.firstIndex(of: "@") else { return }
    let name = String(String.UnicodeScalarView(scalars[(sign + 1)...])).lowercased()
    if DomainTypo.providerNames.contains(name) { scalars += ".com".unicodeScalars }
  }
}
