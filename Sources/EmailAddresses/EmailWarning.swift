/// An unusual property of an accepted address; never a reason to reject it.
package enum EmailWarning: String, Hashable, Sendable, CaseIterable {
  /// Surrounding white space was removed.
  case trimmed
  /// The local part begins with a hyphen, which command-line programs interpret as an option.
  case leadingHyphen
  /// The local part contains `%` or `!`, which were once used to route mail.
  case routingCharacter
  /// The local part mixes alphabets whose letters look alike.
  case mixedScriptLocal
  /// A label of the domain contains an emoji.
  case emojiDomain
  /// The local part has doubled or trailing dots, which only two legacy carriers issued.
  case legacyDots
  /// The domain closely resembles that of a large provider: see `EmailSuggestion`.
  case typo
  /// The local part names a role instead of a person (RFC 2142).
  case roleName
}

extension EmailAddress {
  /// The warnings for this address, in the order of the cases; computed on each access.
  package var warnings: [EmailWarning] { warnings(beside: EmailSuggestion.ofTypo(in: self)) }

  /// Returns the warnings for this address whose suggestion, the most expensive part, is already
  /// known.
  package func warnings(beside suggestion: String?) -> [EmailWarning] {
    EmailWarning.allCases.filter { applies($0, isTypo: suggestion != nil) }
  }

  private func applies(_ warning: EmailWarning, isTypo: Bool) -> Bool {
    switch warning {
    case .trimmed: isTrimmed
    case .leadingHyphen: local.utf8.first == .hyphen
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
    // ASCII letters belong to one script.
    guard requiresSMTPUTF8 else { return false }
    return Set(local.unicodeScalars.lazy.filter { !$0.isMark }.compactMap(UnicodeTables.lookAlike))
      .count
      > 1
  }

  private var hasEmojiDomain: Bool {
    guard asciiDomain.utf8.contains(.hyphen),
      let domain = UnicodeTables.domain(Array(asciiDomain.unicodeScalars))
    else { return false }
    return domain.unicode.contains(where: \.isEmojiBeyondASCII)
  }

  private var isRole: Bool {
    let name = String(Substring(key.utf8.prefix { $0 != UInt8(ascii: "@") }))
    return Self.roleNames.contains(name) || (name.hasSuffix("-request") && name.utf8.count > 8)
  }

  /// The mailbox names of RFC 2142; mailing lists use a name that ends in `-request` (§6).
  private static let roleNames: Set<String> = [
    "abuse", "ftp", "hostmaster", "info", "marketing", "news", "noc", "postmaster", "sales",
    "security", "support", "usenet", "uucp", "webmaster", "www",
  ]
}
