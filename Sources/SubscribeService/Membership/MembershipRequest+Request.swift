internal import HTTPSignals
internal import MailingList

extension MembershipRequest {
  /// Creates the record of a request with which a person confirms or leaves.
  ///
  /// The record omits the page that sent the request, because its URL contains a token or an
  /// execution's id.
  init(
    at time: Timestamp, of request: Request, keeping address: ConsentAddress, _ texts: TextCatalog
  ) {
    let consent = Consent(
      locale: texts.language(preferredBy: request), of: request, keeping: address)
    self.init(
      at: time,
      consent: Consent(
        clientAddress: consent.clientAddress, userAgent: consent.userAgent, locale: consent.locale))
  }
}
