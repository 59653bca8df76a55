/// What is unusual about an address that is accepted; none of it is a reason to reject.
package enum EmailWarning: String, Hashable, Sendable, CaseIterable {
  /// White space around it was taken off.
  case trimmed
  /// The local part begins with a hyphen, which a command line takes for an option.
  case leadingHyphen
  /// The local part has a `%` or `!`, with which mail was once routed.
  case routingCharacter
  /// The local part mixes alphabets whose letters look alike.
  case mixedScriptLocal
  /// A label of the domain has an emoji.
  case emojiDomain
  /// Dots before the `@` that only two old carriers gave out.
  case legacyDots
  /// The domain is much like that of a big provider: see `EmailSuggestion`.
  case typo
  /// The name of a role, not of a person (RFC 2142).
  case roleName
}

extension EmailAddress {
  /// What is unusual about it, in the order of the cases; worked out when asked for.
  package var warnings: [EmailWarning] { warnings(beside: EmailSuggestion.ofTypo(in: self)) }

  /// The same, where the suggestion is known already, which costs most of it.
  ///
  /// - Parameter suggestion: What ``EmailSuggestion`` says of this address.
  /// - Returns: The warnings, in the order of the cases.
  package func warnings(beside suggestion: String?) -> [EmailWarning] {
    EmailWarning.allCases.filter { applies($0, isTypo: suggestion != nil) }
  }

  private func applies(_ warning: EmailWarning, isTypo: Bool) -> Bool {
    switch warning {
    case .trimmed: isTrimmed
    case .leadingHyphen: local.utf8.first == ASCIIByte.hyphen
    case .routingCharacter:
      local.utf8.contains { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "!") }
    case .mixedScriptLocal: requiresSMTPUTF8 && mixesLookAlikes
    case .emojiDomain: hasEmojiDomain
    case .legacyDots: hasLegacyDots
    case .typo: isTypo
    case .roleName: isRole
    }
  }

  private var mixesLookAlikes: Bool {
    // ASCII has letters of one script.
    guard requiresSMTPUTF8 else { return false }
    return Set(local.unicodeScalars.lazy.filter { !$0.isMark }.compactMap(UnicodeTables.lookAlike))
      .count
      > 1
  }

  private var hasEmojiDomain: Bool {
    guard asciiDomain.utf8.contains(ASCIIByte.hyphen),
      let domain = UnicodeTables.domain(Array(asciiDomain.unicodeScalars))
    else { return false }
    return domain.unicode.contains(where: \.isEmojiBeyondASCII)
  }

  private var isRole: Bool {
    let name = String(Substring(key.utf8.prefix { $0 != UInt8(ascii: "@") }))
    return Self.roleNames.contains(name) || (name.hasSuffix("-request") && name.utf8.count > 8)
  }

  /// The mailbox names of RFC 2142; lists have one that ends in `-request` (§6).
  private static let roleNames: Set<String> = [
    "abuse", "ftp", "hostmaster", "info", "marketing", "news", "noc", "postmaster", "sales",
    "security", "support", "usenet", "uucp", "webmaster", "www",
  ]
}
