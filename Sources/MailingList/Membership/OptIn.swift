/// Whether the owner of an address must confirm a sign-up.
package enum OptIn: String, Hashable, Sendable, CaseIterable {
  /// A sign-up suffices; no mail is sent.
  case single
  /// The owner confirms by a link or a code in a mail.
  case double
}
