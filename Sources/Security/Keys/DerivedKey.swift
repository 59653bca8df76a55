/// A key for one purpose, derived from the secret by HKDF-SHA-256 without salt (RFC 5869).
package struct DerivedKey: Sendable {
  private let bytes: [UInt8]

  package init(from secret: Secret, for purpose: KeyPurpose) {
    bytes = HKDFSHA256.derive(from: secret.bytes, info: Array(purpose.rawValue.utf8))
  }

  /// Returns the message authentication code of bytes, 32 bytes, by HMAC-SHA-256.
  package func mac(of message: [UInt8]) -> [UInt8] {
    HMACSHA256.authenticate(message, key: bytes)
  }

  /// Returns the message authentication code of a text's UTF-8, 32 bytes, by HMAC-SHA-256.
  package func mac(of text: String) -> [UInt8] {
    var text = text
    return text.withUTF8 { HMACSHA256.authenticate($0, key: bytes) }
  }

  /// Checks a message authentication code in a time that does not depend on its bytes.
  package func isValid(_ mac: [UInt8], for message: [UInt8]) -> Bool {
    SecureBytes.areEqual(mac, self.mac(of: message))
  }
}

extension DerivedKey: CustomStringConvertible, CustomReflectable {
  /// Stars, so that no log contains the key.
  package var description: String { "***" }

  /// A mirror without children, so that no dump contains the key.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
