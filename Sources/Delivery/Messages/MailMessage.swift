/// A mail message (RFC 5322) as it is sent, with lines that end in CRLF.
package struct MailMessage: Hashable, Sendable {
  /// The maximum size in bytes, because some versions of libcurl stop at larger messages.
  package static let maximumBytes = 65_536

  /// The Message-ID without its domain, which is the same for each attempt.
  package let messageID: String
  /// The header fields, an empty line, and the body.
  package let bytes: [UInt8]

  /// Creates a message of text and HTML (RFC 2046 §5.1.4), both in UTF-8 and quoted-printable.
  ///
  /// - Parameters:
  ///   - messageID: The Message-ID without its domain, 26 characters of base32.
  ///   - fields: The header fields, without those of MIME.
  /// - Throws: `HeaderFieldError` if the Message-ID is invalid.
  package init(
    messageID: String, fields: [HeaderField], text: String, html: String
  ) throws(HeaderFieldError) {
    // In quoted-printable no `_` follows a `=`, so no part contains the boundary.
    let boundary = "=_\(messageID)"
    let all =
      fields + [
        try HeaderField(.mimeVersion, .token("1.0")),
        try HeaderField(.contentType, .token("multipart/alternative; boundary=\"\(boundary)\"")),
      ]
    var bytes: [UInt8] = []
    bytes.reserveCapacity(2048 + text.utf8.count * 2 + html.utf8.count * 2)
    for field in all { bytes += field.line.utf8 }
    for (type, content) in [("plain", text), ("html", html)] {
      bytes += "\r\n--\(boundary)\r\nContent-Type: text/\(type); charset=utf-8\r\n".utf8
      bytes += "Content-Transfer-Encoding: quoted-printable\r\n\r\n".utf8
      bytes += QuotedPrintable.encode(content)
    }
    bytes += "\r\n--\(boundary)--\r\n".utf8
    self.messageID = messageID
    self.bytes = bytes
  }
}
