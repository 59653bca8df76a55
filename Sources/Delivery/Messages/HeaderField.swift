internal import Platform
internal import EmailAddresses

/// A header field of a message (RFC 5322 §2.2).
///
/// No value can inject another field, because values with CR, LF or other controls are rejected.
///
/// ```swift
/// let subject = try HeaderField(.subject, .text("Grüße"))
/// ```
package struct HeaderField: Hashable, Sendable {
  /// The maximum number of bytes of a line, without CRLF.
  package static let maximumLineBytes = 998
  /// The number of bytes after which lines are folded where possible.
  package static let foldingBytes = 76

  /// The name of a field that the service sends.
  package enum Name: String, Hashable, Sendable, CaseIterable {
    case from = "From"
    case to = "To"
    case subject = "Subject"
    case date = "Date"
    case messageID = "Message-ID"
    case replyTo = "Reply-To"
    case autoSubmitted = "Auto-Submitted"
    case autoResponseSuppress = "X-Auto-Response-Suppress"
    case listID = "List-Id"
    case listUnsubscribe = "List-Unsubscribe"
    case listUnsubscribePost = "List-Unsubscribe-Post"
    case contentLanguage = "Content-Language"
    case mimeVersion = "MIME-Version"
    case contentType = "Content-Type"
  }

  /// A value, by its permitted content.
  package enum Value: Hashable, Sendable {
    /// Human-readable text in any language; non-ASCII text becomes encoded words (RFC 2047).
    case text(String)
    /// An address with an optional name; the local part is sent as UTF-8 (RFC 6532).
    case mailbox(Mailbox)
    /// Visible ASCII and spaces, unchanged.
    case token(String)
  }

  package let name: Name
  /// The value as it is sent, folded, without the final CRLF.
  package let body: String

  package init(_ name: Name, _ value: Value) throws(HeaderFieldError) {
    self.name = name
    let used = name.rawValue.utf8.count + 2
    switch value {
    case .text(let text):
      guard !text.unicodeScalars.contains(where: \.isControl) else {
        throw .invalidCharacter(name)
      }
      body = Self.fold(text, after: used) ?? EncodedWords.encode(text, after: used)
    case .mailbox(let mailbox):
      body = Self.text(of: mailbox, after: used)
    case .token(let token):
      guard token.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) else { throw .invalidCharacter(name) }
      body = token
    }
    guard used + body.utf8.count <= Self.maximumLineBytes || body.contains("\r\n") else {
      throw .tooLong(name)
    }
  }

  /// The field as it is sent, with the final CRLF.
  package var line: String { "\(name.rawValue): \(body)\r\n" }

  /// Folds text at spaces; `nil` if it requires encoded words.
  private static func fold(_ text: String, after used: Int) -> String? {
    guard text.utf8.allSatisfy({ 0x20...0x7E ~= $0 }), !text.contains("=?") else { return nil }
    var folded = ""
    var length = used
    for (index, word) in text.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
      // Leading, trailing or consecutive spaces would be lost or move to a line of their own.
      guard !word.isEmpty || text.isEmpty else { return nil }
      if index > 0, length + 1 + word.utf8.count > foldingBytes {
        folded += "\r\n"
        length = 0
      }
      if index > 0 {
        folded += " "
        length += 1
      }
      folded += word
      length += word.utf8.count
      guard length <= foldingBytes else { return nil }
    }
    return folded
  }

  private static func text(of mailbox: Mailbox, after used: Int) -> String {
    let address = mailbox.address.smtpMailbox
    guard let name = mailbox.name else { return address }
    let phrase = phrase(name, after: used)
    // The length of the last line so far, in bytes.
    let length = phrase.contains("\r\n") ? 0 : used + phrase.utf8.count
    let fold = length == 0 || length + address.utf8.count + 3 > foldingBytes
    return "\(phrase)\(fold ? "\r\n" : "") <\(address)>"
  }

  /// Returns a name as a phrase (RFC 5322 §3.2.5).
  private static func phrase(_ name: String, after used: Int) -> String {
    let isShort = used + 2 * name.utf8.count + 2 <= foldingBytes
    guard isShort, name.utf8.allSatisfy({ 0x20...0x7E ~= $0 }), !name.contains("=?") else {
      return EncodedWords.encode(name, after: used)
    }
    let words = name.split(separator: " ", omittingEmptySubsequences: false)
    if words.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isAtomText) }) { return name }
    let escaped = name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    return "\"\(escaped)\""
  }
}

extension UInt8 {
  /// Whether this byte may be part of an atom (RFC 5322 §3.2.3).
  fileprivate var isAtomText: Bool {
    isASCIILetter || isASCIIDigit || "!#$%&'*+-/=?^_`{|}~".utf8.contains(self)
  }
}
