/// What a person most likely meant by an address with a slip in it.
struct EmailRepair {
  /// The text as it was repaired so far.
  var text: String { String(String.UnicodeScalarView(scalars)) }

  private var scalars: [Unicode.Scalar]

  init(_ typed: String) {
    // Nothing longer can be repaired, and it is not read.
    scalars = typed.utf8.count <= 1024 ? Array(typed.unicodeScalars) : []
    trim()
  }

  /// Whether there may be something to repair: most of what is rejected has another reason, and need
  /// not be taken apart.
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

  /// Repairs what is rejected for a reason.
  ///
  /// - Returns: Whether there was something to repair.
  mutating func repair(_ reason: EmailAddressError.Reason) -> Bool {
    let before = scalars
    switch reason {
    case .displayName: takeBracketed()
    case .quotedLocalPart: unquote()
    case .invisibleCharacter: dropInvisible()
    case .missingAt: makeCompatible()
    case .multipleAt: collapse("@")
    case .localCharacter: if !dropScheme() { makeCompatible() }
    // The dots may be right, and only the domain not yet that of the carrier who gives them out.
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

  /// Takes the address out of `Ana <ana@example.org>`.
  private mutating func takeBracketed() {
    if let opening = scalars.firstIndex(of: "<") { scalars.removeFirst(opening + 1) }
    if let closing = scalars.firstIndex(of: ">") { scalars.removeLast(scalars.count - closing) }
    trim()
  }

  /// Takes the quotes off `"ana"@example.org`.
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

  /// Drops what shows nothing; a joiner that joins shows something.
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

  /// Takes full-width letters and other compatible forms of ASCII for ASCII.
  private mutating func makeCompatible() {
    guard !scalars.allSatisfy(\.isASCII) else { return }
    scalars = scalars.flatMap { scalar -> [Unicode.Scalar] in
      guard !scalar.isASCII, let form = UnicodeTables.compatible(scalar),
        form.contains(where: \.isASCII)
      else { return [scalar] }
      return form
    }
  }

  /// Takes the scheme of RFC 6068 off `mailto:ana@example.org`.
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

  /// Doubled dots, those beside the `@`, and one at the end.
  private mutating func repairDots() {
    collapse(".")
    guard let sign = scalars.firstIndex(of: "@") else { return }
    if sign + 1 < scalars.count, scalars[sign + 1] == "." { scalars.remove(at: sign + 1) }
    if sign > 0, scalars[sign - 1] == "." { scalars.remove(at: sign - 1) }
    if scalars.last == "." { scalars.removeLast() }
  }

  /// What a sentence ends with, and commas for dots.
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
