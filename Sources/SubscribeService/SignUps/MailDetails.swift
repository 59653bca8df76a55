internal import EmailAddresses
internal import HTTPSignals
internal import HTTPTypes
internal import MailingList
internal import Security

/// The data that a sign-up stores for the mail that it causes, with double opt-in.
struct MailDetails: Sendable {
  private let keys: MailKeys
  private let origins: OriginPolicy
  private let texts: TextCatalog

  /// Creates the details; `nil` in a service without mail.
  ///
  /// - Parameter origins: Decides to which sites a confirmation may redirect.
  init?(_ optIn: OptIn, keys: MailKeys?, origins: OriginPolicy, texts: TextCatalog) {
    guard optIn == .double, let keys else { return nil }
    self.keys = keys
    self.origins = origins
    self.texts = texts
  }

  /// Returns the language of the mail if the form does not contain one: that of the pages; `nil` if
  /// the client has no preference.
  func locale(of request: Request) -> String? { texts.language(preferredBy: request) }

  /// Returns the page to which the confirmation redirects; `nil` if it is not allowed.
  ///
  /// The page is checked again when it is used.
  func next(_ url: String) -> String? { origins.permitsRedirect(to: url) ? url : nil }

  /// Returns the hashes by which a store finds the budget and the suppression of an address.
  func hashes(of address: EmailAddress) -> AddressHashes {
    AddressHashes(
      mailbox: keys.mailbox(address.canonicalKey, hasSubaddress: address.hasSubaddress),
      suppressions: keys.suppressions(address.key))
  }
}
