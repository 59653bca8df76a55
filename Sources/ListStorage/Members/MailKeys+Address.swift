package import EmailAddresses
package import MailingList
package import Secrets

extension MailKeys {
  package func hashes(of address: EmailAddress) -> AddressHashes {
    AddressHashes(
      mailbox: mailbox(address.canonicalKey, hasSubaddress: address.hasSubaddress),
      suppressions: suppressions(address.key)
    )
  }

  /// Returns the hash by which the mails to the domain of an address are counted; `nil` for a known
  /// domain, whose mails count only for the service.
  func countedDomain(of address: EmailAddress) -> [UInt8]? {
    address.hasKnownDomain ? nil : domain(address.asciiDomain)
  }
}
