/// The reason why a setting or a file contains no usable secret; never includes the content.
package enum SecretError: Error, Hashable, Sendable {
  /// The text is neither one secret nor two separated by a comma.
  case invalid
  /// The file cannot be read; `code` is the system's `errno`.
  case unreadable(code: Int32)
  /// The file is longer than any secret.
  case tooLong
}
