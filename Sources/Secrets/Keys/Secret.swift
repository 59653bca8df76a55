internal import GnuTLS

/// The secret from which the service derives its keys.
///
/// It is never logged: its description hides it.
package struct Secret: Sendable {
  /// The allowed numbers of bytes.
  package static let byteCounts = 32...64

  /// The bytes, as stored.
  package let bytes: [UInt8]

  /// Creates a secret from bytes; `nil` when there are too few or too many.
  ///
  /// - Parameter bytes: 32 to 64 bytes.
  package init?(bytes: [UInt8]) {
    guard Self.byteCounts ~= bytes.count else { return nil }
    self.bytes = bytes
  }

  /// Creates a secret from text; `nil` when it is invalid.
  ///
  /// - Parameter text: 32 to 64 bytes in base64 with padding.
  package init?(_ text: some StringProtocol) {
    guard let bytes = Base64.decode(text, .standard) else { return nil }
    self.init(bytes: bytes)
  }

  /// Creates a secret of 32 random bytes.
  package init() {
    bytes = SecureBytes.random(count: Self.byteCounts.lowerBound)
  }

  /// The text in base64, for a setting.
  package var text: String { Base64.encode(bytes, .standard) }
}

extension Secret: CustomStringConvertible, CustomReflectable {
  /// Stars, so that no log contains the secret.
  package var description: String { "***" }

  /// A mirror without children, so that no dump contains the secret.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
