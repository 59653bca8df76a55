/// What a kind of mail says in a language, kept once as proof of what a person agreed to.
///
/// It contains the names of links and code instead of their values.
///
/// A class: every mail of a kind and language shares one.
package final class MailWording: Sendable {
  /// The SHA-256 of all other fields, by which it is stored.
  package let hash: [UInt8]
  /// What the mail is for.
  package let kind: MailKind
  /// The language (BCP 47).
  package let language: String
  /// The subject.
  package let subject: String
  /// The text.
  package let text: String
  /// The HTML.
  package let html: String

  /// Creates a wording.
  ///
  /// - Parameters:
  ///   - hash: The SHA-256 of all other fields.
  ///   - language: The language (BCP 47).
  package init(
    hash: [UInt8],
    kind: MailKind,
    language: String,
    subject: String,
    text: String,
    html: String
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
  /// Whether two wordings are the same: their hashes are equal.
  package static func == (left: MailWording, right: MailWording) -> Bool {
    left.hash == right.hash
  }

  /// Hashes the hash.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(hash)
  }
}
