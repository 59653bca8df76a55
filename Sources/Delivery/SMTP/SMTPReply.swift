internal import Platform

/// A line of a relay's reply, or a whole reply (RFC 5321 §4.2), without its text.
///
/// The text is always discarded, because relays repeat the recipient's address in it.
package struct SMTPReply: Hashable, Sendable {
  /// The status, 200 to 599.
  package let status: Int
  /// The enhanced status, if any (RFC 2034), even if its category contradicts the status.
  package let enhancedStatus: EnhancedStatus?
  /// Whether this is the last line of its reply.
  package let isLast: Bool

  package init(_ status: Int, _ enhancedStatus: EnhancedStatus? = nil, isLast: Bool = true) {
    self.status = status
    self.enhancedStatus = enhancedStatus
    self.isLast = isLast
  }

  /// Parses a line such as `550-5.1.1 No such user`; `nil` if it is not a line of a reply.
  ///
  /// A line without an enhanced status gets that of `former`, the previous line of the same reply.
  /// The text after the enhanced status is ignored.
  package init?(line: some Collection<UInt8>, after former: SMTPReply? = nil) {
    let digits = line.prefix(3)
    guard digits.count == 3, digits.allSatisfy(\.isASCIIDigit) else { return nil }
    let status = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    guard 200...599 ~= status else { return nil }
    let rest = line.dropFirst(3)
    switch rest.first {
    case UInt8(ascii: "-"): isLast = false
    case UInt8(ascii: " "), UInt8(ascii: "\r"), UInt8(ascii: "\n"), nil: isLast = true
    default: return nil
    }
    self.status = status
    enhancedStatus = Self.enhancedStatus(in: rest.dropFirst()) ?? former?.enhancedStatus
  }

  /// Parses the enhanced status at the start of a line's text; at most `5.999.999` and a space.
  private static func enhancedStatus(in text: some Collection<UInt8>) -> EnhancedStatus? {
    let word = text.prefix(10).prefix { $0 > UInt8(ascii: " ") }
    return EnhancedStatus(String(decoding: word, as: UTF8.self))
  }

  /// Returns whether a line of the reply to EHLO, such as `250-SMTPUTF8`, offers an extension
  /// (RFC 5321 §4.1.1.1).
  package static func line(_ line: some Collection<UInt8>, offers keyword: StaticString) -> Bool {
    let word = line.dropFirst(4).prefix { $0 > UInt8(ascii: " ") }
    return keyword.withUTF8Buffer { keyword in
      word.elementsEqual(keyword) { byte, expected in
        byte == expected || byte == expected | 0x20
      }
    }
  }
}
