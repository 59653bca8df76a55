internal import EmailAddresses
internal import Secrets

extension MailKeys {
  /// Returns the keyed hash of the mailbox of an address.
  func mailbox(of address: EmailAddress) -> [UInt8] {
    mailbox(address.canonicalKey, hasSubaddress: address.hasSubaddress)
  }
}
