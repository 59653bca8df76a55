/// How long a person can confirm with a mail, and how often they may mistype its code.
package enum ConfirmationLimits {
  /// The age at which the link of a mail expires.
  package static let linkLifetime: Duration = .seconds(7 * 86_400)
  /// The age at which the code of a mail expires.
  package static let codeLifetime: Duration = .seconds(1800)
  /// The maximum number of attempts at the code of a mail, and of codes for an execution.
  package static let codeTries = 5
}
