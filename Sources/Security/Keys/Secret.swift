/// The secret from which the service derives its keys.
///
/// The description hides it, so it is never logged.
package struct Secret: Sendable {
  /// The allowed numbers of bytes.
  package static let byteCounts = 32...64

  package let bytes: [UInt8]

  /// Creates a secret from 32 to 64 bytes; `nil` for any other number.
  package init?(bytes: [UInt8]) {
    guard Self.byteCounts ~= bytes.count else { return nil }
    self.bytes = bytes
  }

  /// Creates a secret from 32 to 64 bytes in base64 with padding; `nil` if the text is invalid.
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
