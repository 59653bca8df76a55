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
}
