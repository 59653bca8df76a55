/// How long a person can confirm with a mail, and how often they may mistype its code.
package enum ConfirmationLimits {
  /// The time after which the link of a mail expires, from the last attempt to send the mail.
  package static let linkLifetime: Duration = .seconds(7 * 86_400)
  /// The time after which the code of a mail expires, from the same.
  package static let codeLifetime: Duration = .seconds(1800)
  /// The maximum number of attempts at the code of a mail, and of codes for an execution.
  package static let codeTries = 5
}
