/// The purpose of a mail that a sign-up causes; the raw value is the stored one.
package enum MailKind: Int64, Hashable, Sendable, CaseIterable {
  /// Asks the owner of the address to confirm the subscription.
  case confirm = 1
  /// Reports that the address is already on the list.
  case already = 2

  /// The name in file names and templates.
  package var name: String {
    switch self {
    case .confirm: "confirm"
    case .already: "already"
    }
  }
}
