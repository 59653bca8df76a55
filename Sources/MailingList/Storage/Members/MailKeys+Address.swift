internal import CPSL
package import EmailAddresses
package import Security

extension MailKeys {
  package func hashes(of address: EmailAddress) -> AddressHashes {
    AddressHashes(
      mailbox: mailbox(address.canonicalKey, hasSubaddress: address.hasSubaddress),
      suppressions: suppressions(address.key))
  }

  /// Returns the hashes by which the suppressions of an address are found.
  package func suppressions(of address: EmailAddress) -> SuppressionHashes {
    let mailbox = address.canonicalKey
    let own = suppressions(address.key)
    return SuppressionHashes(
      own: own, mailbox: mailbox == address.key ? own : suppressions(mailbox), mailboxKey: mailbox)
  }

  /// Returns the same for the address of a subscriber's key.
  func suppressions(ofKey key: String) -> SuppressionHashes {
    if let address = try? EmailAddress(validating: key, level: .test) {
      return suppressions(of: address)
    }
    // No release would have stored it.
    let own = suppressions(key)
    return SuppressionHashes(own: own, mailbox: own, mailboxKey: key)
  }

  /// Returns the hash by which the mails to the domain of an address are counted, with those to its
  /// subdomains; `nil` for a known domain, whose mails count only for the service.
  func countedDomain(of address: EmailAddress) -> [UInt8]? {
    address.hasKnownDomain ? nil : domain(RegistrableDomain.of(address.asciiDomain))
  }
}

/// The part of a domain that its owner has registered, such as `example.co.uk`: whoever has it can
/// make any number of subdomains.
enum RegistrableDomain {
  /// The list of public suffixes; `nil` if libpsl was built without one and the system has none.
  ///
  /// Never written after its creation, so any thread can read it.
  nonisolated(unsafe) private static let list: OpaquePointer? = psl_builtin() ?? psl_latest(nil)

  /// Returns the registrable part of a domain in lowercase ASCII, or the whole of a public suffix.
  ///
  /// Only suffixes of registries count: below a private one, such as a provider of dynamic names,
  /// a name often costs nothing.
  static func of(_ domain: String) -> String {
    // An address literal has no labels.
    if domain.utf8.first == UInt8(ascii: "[") { return domain }
    var part = Substring(domain)
    while let dot = part.utf8.firstIndex(of: UInt8(ascii: ".")) {
      let parent = part[part.utf8.index(after: dot)...]
      if isPublicSuffix(String(parent)) { break }
      part = parent
    }
    return String(part)
  }

  /// Whether a registry sells names below a domain; without the list, that is each last label.
  private static func isPublicSuffix(_ domain: String) -> Bool {
    guard let list else { return !domain.utf8.contains(UInt8(ascii: ".")) }
    return psl_is_public_suffix2(list, domain, PSL_TYPE_ICANN) == 1
  }
}
