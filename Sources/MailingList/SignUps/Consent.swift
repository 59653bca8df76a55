/// The evidence of a person's consent; each part is stored only if the client sent it.
///
/// A class: passing it copies one reference instead of eight strings.
package final class Consent: Sendable {
  /// The text that the person agreed to, or its id.
  package let text: String?
  /// The page with the form (`Referer`): its scheme, host and path.
  package let sourceURL: String?
  /// The origin of the page with the form (`Origin`).
  package let origin: String?
  /// The client's address, to the extent that the operator's settings allow.
  package let clientAddress: String?
  /// The client's program (`User-Agent`).
  package let userAgent: String?
  /// The requested language (BCP 47).
  package let locale: String?
  /// The page to which the form redirects after a confirmation, if that is allowed.
  package let next: String?
  /// The owner's fields, a JSON object whose values are strings.
  package let fields: String?

  /// Creates a consent; omitted parts are unknown.
  package init(
    text: String? = nil, sourceURL: String? = nil, origin: String? = nil,
    clientAddress: String? = nil, userAgent: String? = nil, locale: String? = nil,
    next: String? = nil, fields: String? = nil
  ) {
    self.text = text
    self.sourceURL = sourceURL
    self.origin = origin
    self.clientAddress = clientAddress
    self.userAgent = userAgent
    self.locale = locale
    self.next = next
    self.fields = fields
  }
}
