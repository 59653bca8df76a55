/// The means by which a person changed a membership; the raw value is the stored one.
package enum ConsentMeans: String, Hashable, Sendable, CaseIterable {
  /// A link in a mail, and the button on its page.
  case link
  /// A code in a mail.
  case code
  /// The button of a mail program (RFC 8058).
  case oneClick = "one-click"
  /// A request for a new link by means of an old one.
  case renewal
  /// A change by the operator.
  case `operator`
}
