/// The reason a value cannot be a header field; it never contains the value.
package enum HeaderFieldError: Error, Hashable, Sendable {
  /// The value contains a control, such as CR or LF, or is a token with non-ASCII characters.
  case invalidCharacter(HeaderField.Name)
  /// A line would have more than 998 bytes (RFC 5322 §2.1.1).
  case tooLong(HeaderField.Name)
}
