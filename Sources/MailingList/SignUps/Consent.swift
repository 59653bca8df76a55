/// What is kept to show that a person asked: each part only as far as the client sent it.
///
/// An object, because it goes from hand to hand: one reference instead of six strings.
package final class Consent: Sendable {
  /// The text that the person agreed to, or its id.
  package let text: String?
  /// The page of the form (`Referer`): its scheme, host and path.
  package let sourceURL: String?
  /// The site of the form (`Origin`).
  package let origin: String?
  /// The client's address, as far as the operator keeps it.
  package let clientAddress: String?
  /// The client's program (`User-Agent`).
  package let userAgent: String?
  /// The language that was asked for (BCP 47).
  package let locale: String?

  /// Makes a consent; nothing is known of what is not given.
  ///
  /// - Parameters:
  ///   - text: The text that the person agreed to, or its id.
  ///   - sourceURL: The page of the form.
  ///   - origin: The site of the form.
  ///   - clientAddress: The client's address, as far as the operator keeps it.
  ///   - userAgent: The client's program.
  ///   - locale: The language that was asked for.
  package init(
    text: String? = nil,
    sourceURL: String? = nil,
    origin: String? = nil,
    clientAddress: String? = nil,
    userAgent: String? = nil,
    locale: String? = nil
  ) {
    self.text = text
    self.sourceURL = sourceURL
    self.origin = origin
    self.clientAddress = clientAddress
    self.userAgent = userAgent
    self.locale = locale
  }
}
