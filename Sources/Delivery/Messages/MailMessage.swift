/// A mail message (RFC 5322) as it is sent, with lines that end in CRLF.
package struct MailMessage: Hashable, Sendable {
  /// The header fields, an empty line, and the body.
  package let bytes: [UInt8]
}
