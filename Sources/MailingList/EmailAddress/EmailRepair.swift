/// What is mended in a refused address before it is judged again.
enum EmailRepair {
  /// Whether a repair may be offered: not where somebody may be up to something, or where nothing
  /// can be known.
  static func mayHelp(against reason: EmailRefusal.Reason) -> Bool {
    switch reason {
    case .controlCharacter, .whitespace, .tooLong, .invalidUnicode, .empty, .domainLiteral:
      false
    case .displayName, .quotedLocalPart, .comment, .invisibleCharacter, .missingAt, .multipleAt,
      .missingLocalPart, .missingDomain, .localTooLong, .localCharacter, .localDots,
      .domainCharacter, .domainDots, .domainHyphen, .labelTooLong, .internationalDomain,
      .mixedScriptDomain, .singleLabelDomain, .topLevelDomain, .specialUseDomain:
      true
    }
  }

  /// Mends what a keyboard, a mail program or a paste leaves behind.
  ///
  /// - Parameter typed: Text that was refused for a reason against which a repair may help, so that
  ///   it has at most 254 octets.
  /// - Returns: The text to judge.
  static func repair(_ typed: String) -> String {
    var text = insideBrackets(typed)
    if text.lowercased().hasPrefix("mailto:") { text.removeFirst("mailto:".count) }
    text = visible(text)
    text = collapsed(text, "@")
    text = unquoted(text)
    text = collapsed(text, ".")
    while let last = text.unicodeScalars.last, ".,;".unicodeScalars.contains(last) {
      text.unicodeScalars.removeLast()
    }
    guard let sign = text.unicodeScalars.firstIndex(of: "@") else { return text }
    var local = text.unicodeScalars[..<sign]
    var domain = text.unicodeScalars[text.unicodeScalars.index(after: sign)...]
    if local.last == "." { local.removeLast() }
    if domain.first == "." { domain.removeFirst() }
    var name = String(Substring(domain)).replacing(",", with: ".")
    if DomainTypo.providerNames.contains(name.lowercased()) { name += ".com" }
    return "\(Substring(local))@\(name)"
  }

  /// The text between `<` and `>`, where there is such a pair.
  private static func insideBrackets(_ text: String) -> String {
    let scalars = text.unicodeScalars
    guard let opening = scalars.lastIndex(of: "<"),
      let closing = scalars[opening...].firstIndex(of: ">")
    else { return text }
    return String(Substring(scalars[scalars.index(after: opening)..<closing]))
  }

  /// Drops what cannot be seen, and takes full-width and other compatible forms of ASCII for ASCII.
  private static func visible(_ text: String) -> String {
    var mended = String.UnicodeScalarView()
    var previous: Unicode.Scalar = "@"
    for scalar in text.unicodeScalars {
      defer { previous = scalar }
      if scalar.isASCII {
        mended.append(scalar)
      } else if scalar.isInvisible(after: previous) || scalar.isJoiner {
        continue
      } else if let compatible = UnicodeTables.compatible(scalar),
        compatible.contains(where: \.isASCII)
      {
        mended.append(contentsOf: compatible)
      } else {
        mended.append(scalar)
      }
    }
    return String(mended)
  }

  private static func collapsed(_ text: String, _ scalar: Unicode.Scalar) -> String {
    var mended = String.UnicodeScalarView()
    for next in text.unicodeScalars where next != scalar || mended.last != scalar {
      mended.append(next)
    }
    return String(mended)
  }

  /// Takes the quotes off a local part.
  private static func unquoted(_ text: String) -> String {
    guard text.hasPrefix("\""), let end = text.dropFirst().firstRange(of: "\"@") else {
      return text
    }
    return "\(text[..<end.lowerBound].dropFirst())\(text[end.lowerBound...].dropFirst())"
  }
}
