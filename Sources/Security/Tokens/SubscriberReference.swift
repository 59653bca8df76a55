/// A subscriber in the link of an export, which no store contains.
///
/// The token is an authentication code and the encrypted reference, which the code authenticates,
/// so a person learns no id from a link. Whoever has the secret can read and make all of them.
package struct SubscriberReference: Hashable, Sendable {
  package let id: Int64
  /// The time of the first sign-up, in milliseconds since 1970: a restored list may use an id again.
  package let createdAt: Int64

  package init(id: Int64, createdAt: Int64) {
    self.id = id
    self.createdAt = createdAt
  }

  private static let codeByteCount = 16

  /// Decrypts a token; `nil` if it was not made with this key.
  init?(_ token: MailToken, key: DerivedKey) {
    let code = Array(token.bytes.prefix(Self.codeByteCount))
    let bytes = Self.encrypted(token.bytes.dropFirst(Self.codeByteCount), by: code, key)
    guard SecureBytes.areEqual(code, Self.code(of: bytes, key)) else { return nil }
    id = Self.number(bytes.prefix(8))
    createdAt = Self.number(bytes.dropFirst(8))
  }

  /// Returns the token, which is the same each time.
  func token(key: DerivedKey) -> MailToken {
    let bytes = [id, createdAt].flatMap { number in
      withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
    let code = Self.code(of: bytes, key)
    return MailToken(bytes: code + Self.encrypted(bytes[...], by: code, key))
  }

  private static func code(of bytes: [UInt8], _ key: DerivedKey) -> [UInt8] {
    Array(key.mac(of: [0] + bytes).prefix(codeByteCount))
  }

  /// Encrypts or decrypts 16 bytes with a stream that follows from their authentication code.
  private static func encrypted(
    _ bytes: ArraySlice<UInt8>, by code: [UInt8], _ key: DerivedKey
  ) -> [UInt8] {
    zip(bytes, key.mac(of: [1] + code)).map { $0 ^ $1 }
  }

  private static func number(_ bytes: some Sequence<UInt8>) -> Int64 {
    Int64(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
  }
}
