/// A key of the operator's interface.
///
/// ```text
/// enlist_7Hq2mXw9ExampleExampleExampleExample00001zSHgW
///        id      secret                          checksum
/// ```
///
/// Id (8 digits) and secret (32) are uniformly random digits of base 62: the secret has 190 bits.
/// The checksum is the CRC-32 of the 47 characters before it, in six digits, so that scanners can
/// distinguish a real key from a lookalike: `\benlist_[0-9A-Za-z]{46}\b`.
package struct APIKey: Sendable {
  package static let prefix = "enlist_"
  /// The key of the documentation, which is always rejected.
  package static let example = "enlist_7Hq2mXw9ExampleExampleExampleExample00001zSHgW"

  private static let idCount = 8
  private static let secretCount = 32
  private static let checksumCount = 6
  private static let byteCount = prefix.utf8.count + idCount + secretCount + checksumCount

  package let text: String

  package init() {
    let random = Base62.random(count: Self.idCount + Self.secretCount)
    let bytes = Array(Self.prefix.utf8) + random
    text = String(decoding: bytes + Self.checksum(of: bytes), as: UTF8.self)
  }

  package init(_ text: some StringProtocol) throws(APIKeyError) {
    let bytes = Array(text.utf8)
    guard bytes.count == Self.byteCount, bytes.starts(with: Self.prefix.utf8),
      Base62.contains(bytes.dropFirst(Self.prefix.utf8.count))
    else { throw .malformed }
    let checksum = bytes.suffix(Self.checksumCount)
    guard checksum.elementsEqual(Self.checksum(of: bytes.dropLast(Self.checksumCount))) else {
      throw .incomplete
    }
    guard text != Self.example else { throw .example }
    self.text = String(text)
  }

  /// The public part, by which the key is found.
  package var id: String {
    String(text.dropFirst(Self.prefix.count).prefix(Self.idCount))
  }

  /// The SHA-256 of the whole key, which is stored.
  ///
  /// A slow hash would add nothing to 190 random bits.
  package var hash: [UInt8] { SHA256.hash(Array(text.utf8)) }

  /// Returns whether this is the key of a stored hash, in constant time; for an unknown id, pass
  /// `nil`, which takes as long.
  package func matches(_ hash: [UInt8]?) -> Bool {
    let isEqual = SecureBytes.areEqual(self.hash, hash ?? Self.noHash)
    return hash != nil && isEqual
  }

  private static let noHash = [UInt8](repeating: 0, count: SHA256.byteCount)

  private static func checksum(of bytes: some Sequence<UInt8>) -> [UInt8] {
    Base62.sixDigits(of: CRC32.checksum(of: bytes))
  }
}

package enum APIKeyError: Error, Hashable, Sendable {
  case malformed
  /// The checksum is wrong: a part of the key is missing or was changed.
  case incomplete
  case example
}

/// A session of the board: the key that began it, its end, and a code that proves both.
///
/// ```text
/// 7Hq2mXw9.1800000000.kZ3b…
/// id       end        code
/// ```
///
/// Nothing is stored about a session, and every replica recognizes it. Whether the key is still
/// valid is for the caller to check.
package struct SessionToken: Hashable, Sendable {
  package static let seconds: Int64 = 8 * 3600

  package let keyID: String
  /// The end, in seconds since 1970.
  package let end: Int64

  package init(keyID: String, at now: Int64) {
    self.keyID = keyID
    end = now + Self.seconds
  }

  /// Parses the text of a session that a service with one of the secrets has begun; `nil` if it is
  /// another text, or the session has ended.
  package init?(_ text: some StringProtocol, _ keyring: Keyring, at now: Int64) {
    guard text.utf8.count <= 100 else { return nil }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let end = Int64(parts[1]), "\(end)" == parts[1],
      let code = Base64.decode(parts[2], .url)
    else { return nil }
    keyID = String(parts[0])
    self.end = end
    let message = Array(content.utf8)
    let isGenuine = keyring.keys(for: .session).map { $0.isValid(code, for: message) }
    guard isGenuine.contains(true), now < end else { return nil }
  }

  package func text(_ keyring: Keyring) -> String {
    let code = keyring.key(for: .session).mac(of: content)
    return "\(content).\(Base64.encode(code, .url))"
  }

  private var content: String { "\(keyID).\(end)" }
}
