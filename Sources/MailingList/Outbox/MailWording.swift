/// The text of a kind of mail in a language, stored once as proof of a person's agreement.
///
/// The text contains the names of links and code instead of their values.
///
/// A class: every mail of a kind and language shares one.
package final class MailWording: Sendable {
  /// The SHA-256 of all other fields, by which it is stored.
  package let hash: [UInt8]
  package let kind: MailKind
  /// The language (BCP 47).
  package let language: String
  package let subject: String
  package let text: String
  package let html: String

  package init(
    hash: [UInt8], kind: MailKind, language: String, subject: String, text: String, html: String
  ) {
    self.hash = hash
    self.kind = kind
    self.language = language
    self.subject = subject
    self.text = text
    self.html = html
  }
}

extension MailWording: Hashable {
  /// Two wordings are equal if their hashes are.
  package static func == (left: MailWording, right: MailWording) -> Bool {
    left.hash == right.hash
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(hash)
  }
}
