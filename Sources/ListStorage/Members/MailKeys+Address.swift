package import EmailAddresses
package import MailingList
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
