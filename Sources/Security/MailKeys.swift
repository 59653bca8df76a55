internal import Platform

/// The keys for mail, derived once, and the tokens, codes and hashes that they derive.
///
/// A mail is given by the bytes of its id.
package struct MailKeys: Sendable {
  private let token: DerivedKey
  private let code: DerivedKey
  private let messageID: DerivedKey
  private let mailbox: DerivedKey
  private let suppressions: [DerivedKey]
  private let subscriber: DerivedKey
  private let subscribers: [DerivedKey]

  package init(_ keyring: Keyring) {
    token = keyring.key(for: .token)
    code = keyring.key(for: .code)
    messageID = keyring.key(for: .messageID)
    mailbox = keyring.key(for: .mailbox)
    suppressions = keyring.keys(for: .suppression)
    subscriber = keyring.key(for: .subscriber)
    subscribers = keyring.keys(for: .subscriber)
  }

  /// Returns HMAC(key, purpose ‖ 0 ‖ id).
  package func token(_ purpose: MailToken.Purpose, ofMail mail: [UInt8]) -> MailToken {
    MailToken(bytes: token.mac(of: Array(purpose.name.utf8) + [0] + mail))
  }

  /// Returns the token of a subscriber's link to leave, which is valid as long as the secret.
  package func token(of subscriber: SubscriberReference) -> MailToken {
    subscriber.token(key: self.subscriber)
  }

  /// Returns the subscriber of a link from an export; `nil` for another token.
  package func subscriber(of token: MailToken) -> SubscriberReference? {
    subscribers.lazy.compactMap { SubscriberReference(token, key: $0) }.first
  }

  package func code(ofMail mail: [UInt8]) -> ConfirmationCode {
    ConfirmationCode(ofMail: mail, key: code)
  }

  /// Returns the keyed hash of a code for one subscriber, as stored: HMAC(key, id ‖ digits).
  package func hash(of code: ConfirmationCode, for subscriber: Int64) -> [UInt8] {
    self.code.mac(of: code.message(for: subscriber))
  }

  /// Compares a typed code with a stored hash in a time that depends on neither.
  package func matches(_ code: ConfirmationCode, hash: [UInt8], of subscriber: Int64) -> Bool {
    self.code.isValid(hash, for: code.message(for: subscriber))
  }

  package func messageID(ofMail mail: [UInt8]) -> MessageID {
    MessageID(ofMail: mail, key: messageID)
  }

  /// Returns the keyed hash of a mailbox, by which its mails are counted: 32 bytes, and one more
  /// with a subaddress.
  package func mailbox(_ canonicalKey: String, hasSubaddress: Bool) -> [UInt8] {
    let mac = mailbox.mac(of: canonicalKey)
    return hasSubaddress ? mac + [UInt8(ascii: "+")] : mac
  }

  /// Returns the keyed hash of a domain, by which the mails to it are counted; never that of a
  /// mailbox, which has a local part.
  package func domain(_ domain: String) -> [UInt8] { mailbox.mac(of: "@\(domain)") }

  /// Returns the keyed hashes by which the suppression of an address is found, one for each secret;
  /// a new suppression is stored with the first.
  package func suppressions(_ addressKey: String) -> [[UInt8]] {
    suppressions.map { $0.mac(of: addressKey) }
  }
}

/// The token in a link of a mail; knowing it is the only credential.
///
/// The text is 43 characters of base64url. Stores contain only its ``hash``.
package struct MailToken: Redacted, Sendable {
  package enum Purpose: Int64, Hashable, Sendable, CaseIterable {
    case confirm = 0
    /// Leave the list, or stop mails to an address whose owner never signed up.
    case unsubscribe = 1

    var name: String {
      switch self {
      case .confirm: "confirm"
      case .unsubscribe: "unsubscribe"
      }
    }
  }

  package static let byteCount = 32
  package static let characterCount = 43

  let bytes: [UInt8]

  init(bytes: [UInt8]) { self.bytes = bytes }

  package init?(_ text: some StringProtocol) {
    guard text.utf8.count == Self.characterCount, let bytes = Base64.decode(text, .url),
      bytes.count == Self.byteCount
    else { return nil }
    self.bytes = bytes
  }

  package var text: String { Base64.encode(bytes, .url) }

  /// The SHA-256 of the token, as stored.
  ///
  /// A plain hash suffices, because a token is as unpredictable as a key. Checking a link thus
  /// needs no secret.
  package var hash: [UInt8] { SHA256.hash(bytes) }
}

/// The six digits in a mail that the recipient can type instead of opening the link.
///
/// Stores contain only a keyed hash, because a plain one can be searched in a second.
package struct ConfirmationCode: Redacted, Sendable {
  package static let digitCount = 6

  package let digits: String

  /// Derives the code of a mail: the first 8 bytes of HMAC(key, id), modulo 10⁶.
  init(ofMail mail: [UInt8], key: DerivedKey) {
    let number = key.mac(of: mail).prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    let digits = String(number % 1_000_000)
    self.digits = String(repeating: "0", count: Self.digitCount - digits.utf8.count) + digits
  }

  /// Parses a visitor's input of six digits, ignoring spaces and hyphens.
  package init?(_ text: some StringProtocol) {
    let digits = text.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }
    guard digits.count == Self.digitCount, digits.allSatisfy(\.isASCIIDigit) else { return nil }
    self.digits = String(decoding: digits, as: UTF8.self)
  }

  /// Returns the bytes that are hashed; their number, 14, is never that of a mail's id.
  func message(for subscriber: Int64) -> [UInt8] {
    let number = UInt64(bitPattern: subscriber)
    let bytes = stride(from: 56, through: 0, by: -8).map { shift in
      UInt8(truncatingIfNeeded: number >> UInt64(shift))
    }
    return bytes + digits.utf8
  }
}

/// The part of a Message-ID before the `@` (RFC 5322 §3.6.4).
///
/// The part is derived from the mail's id, so every attempt to send a mail has the same one, and
/// the recipient's server can recognize a duplicate.
package struct MessageID: Hashable, Sendable {
  /// The number of characters: 128 bits of base32.
  package static let characterCount = 26

  /// The characters, `a` to `z` and `2` to `7` (RFC 4648 §6, in lowercase).
  package let text: String

  init(ofMail mail: [UInt8], key: DerivedKey) {
    let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
    var text: [UInt8] = []
    var bits: UInt32 = 0
    var bitCount: UInt32 = 0
    for byte in key.mac(of: mail).prefix(16) {
      bits = bits << 8 | UInt32(byte)
      bitCount += 8
      while bitCount >= 5 {
        bitCount -= 5
        text.append(alphabet[Int(bits >> bitCount & 31)])
      }
      bits &= (1 << bitCount) - 1
    }
    // 128 bits leave three for the last character.
    text.append(alphabet[Int(bits << (5 - bitCount) & 31)])
    self.text = String(decoding: text, as: UTF8.self)
  }
}

extension MessageID: CustomStringConvertible {
  package var description: String { text }
}

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
