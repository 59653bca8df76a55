/// The reason a setting or a file contains no usable secret; never the content.
package enum SecretError: Error, Hashable, Sendable {
  /// The text is not one secret, or two with a comma between them.
  case invalid
  /// The file cannot be read; with the system's `errno`.
  case unreadable(code: Int32)
  /// The file is longer than any secret.
  case tooLong
}
