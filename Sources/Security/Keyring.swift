internal import Glibc

/// The secret in use and, after a replacement, the previous one.
///
/// New values are derived from the secret in use. Stored values are recognized with both.
package struct Keyring: Sendable {
  package let current: Secret
  package let previous: Secret?

  package init(_ current: Secret, previous: Secret? = nil) {
    self.current = current
    self.previous = previous
  }

  /// Parses a setting or the content of a file: a secret, or `NEW,OLD`, each of 32 to 64 bytes in
  /// base64; one newline at the end is ignored.
  package init(_ text: some StringProtocol) throws(SecretError) {
    var line = Array(text.utf8)[...]
    if line.last == UInt8(ascii: "\n") { line.removeLast() }
    let parts = line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    let secrets = parts.compactMap { Secret(String(decoding: $0, as: UTF8.self)) }
    guard secrets.count == parts.count, let current = secrets.first, secrets.count <= 2 else {
      throw .invalid
    }
    self.init(current, previous: secrets.dropFirst().first)
  }

  package func key(for purpose: KeyPurpose) -> DerivedKey {
    DerivedKey(from: current, for: purpose)
  }

  /// Derives the keys for a purpose from both secrets, for looking up stored values.
  package func keys(for purpose: KeyPurpose) -> [DerivedKey] {
    [current, previous].compactMap(\.self).map { DerivedKey(from: $0, for: purpose) }
  }
}

extension Keyring {
  /// The maximum length of a file: two secrets of 64 bytes in base64, a comma and a newline fit.
  private static let maximumFileBytes = 256

  package init(contentsOfFile path: String) throws(SecretError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .unreadable(code: errno) }
    defer { close(descriptor) }
    // Reading one more byte than allowed detects a file that is too long.
    var bytes = [UInt8](repeating: 0, count: Self.maximumFileBytes + 1)
    var count = 0
    while count < bytes.count {
      let received = bytes.withUnsafeMutableBytes { buffer in
        read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
      }
      if received < 0, errno == EINTR { continue }
      guard received >= 0 else { throw .unreadable(code: errno) }
      if received == 0 { break }
      count += received
    }
    guard count <= Self.maximumFileBytes else { throw .tooLong }
    try self.init(String(decoding: bytes[..<count], as: UTF8.self))
  }
}

/// The reason why a setting or a file contains no usable secret; never includes the content.
package enum SecretError: Error, Hashable, Sendable {
  /// The text is neither one secret nor two separated by a comma.
  case invalid
  /// The file cannot be read; `code` is the system's `errno`.
  case unreadable(code: Int32)
  case tooLong
}

/// A secret, which no log and no dump contains.
package protocol Redacted: CustomStringConvertible, CustomReflectable {}

extension Redacted {
  package var description: String { "***" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The secret from which the service derives its keys.
package struct Secret: Redacted, Sendable {
  package static let byteCounts = 32...64

  package let bytes: [UInt8]

  package init?(bytes: [UInt8]) {
    guard Self.byteCounts ~= bytes.count else { return nil }
    self.bytes = bytes
  }

  /// Creates a secret from base64 with padding.
  package init?(_ text: some StringProtocol) {
    guard let bytes = Base64.decode(text, .standard) else { return nil }
    self.init(bytes: bytes)
  }

  /// Creates a secret of 32 random bytes.
  package init() {
    bytes = SecureBytes.random(count: Self.byteCounts.lowerBound)
  }

  package var text: String { Base64.encode(bytes, .standard) }
}

/// The purpose of a derived key; the raw value is the info of HKDF and never changes.
package enum KeyPurpose: String, Hashable, Sendable, CaseIterable {
  /// Derives the tokens in the links of mails.
  case token = "enlist token"
  /// Encrypts the subscribers in the links of an export.
  case subscriber = "enlist subscriber"
  /// Derives the codes in mails, and hashes them for storage.
  case code = "enlist code"
  /// Derives Message-IDs.
  case messageID = "enlist message-id"
  /// Hashes mailboxes, whose mails are counted.
  case mailbox = "enlist mailbox"
  /// Hashes addresses that must not receive mail.
  case suppression = "enlist suppression"
  /// Authenticates the sessions of the board.
  case session = "enlist session"
}

/// A key for one purpose, derived from the secret by HKDF-SHA-256 without salt (RFC 5869).
package struct DerivedKey: Redacted, Sendable {
  private let bytes: [UInt8]

  package init(from secret: Secret, for purpose: KeyPurpose) {
    bytes = HKDFSHA256.derive(from: secret.bytes, info: Array(purpose.rawValue.utf8))
  }

  /// Returns the message authentication code HMAC-SHA-256, 32 bytes.
  package func mac(of message: [UInt8]) -> [UInt8] {
    HMACSHA256.authenticate(message, key: bytes)
  }

  /// Returns the code of a text's UTF-8.
  package func mac(of text: String) -> [UInt8] {
    var text = text
    return text.withUTF8 { HMACSHA256.authenticate($0, key: bytes) }
  }

  /// Checks a code in a time that does not depend on its bytes.
  package func isValid(_ mac: [UInt8], for message: [UInt8]) -> Bool {
    SecureBytes.areEqual(mac, self.mac(of: message))
  }
}

/// The secrets with which requests to webhooks are signed, and their signatures (Standard Webhooks
/// 1.0.0).
///
/// They are derived by HKDF-SHA-256 without salt (RFC 5869), so none is stored.
package struct WebhookSecrets: Sendable {
  private let keyring: Keyring

  package init(_ keyring: Keyring) { self.keyring = keyring }

  /// Returns a secret as a receiver needs it, `whsec_` and base64.
  package func text(ofWebhook id: String, generation: Int64) -> String {
    "whsec_\(Base64.encode(Self.key(keyring.current, id, generation), .standard))"
  }

  /// Returns the signatures of a message, separated by spaces: one for each generation, and the
  /// same with the previous secret of the service while it is known.
  ///
  /// The timestamp is in seconds since 1970.
  package func signatures(
    of message: (id: String, timestamp: Int64, body: [UInt8]), ofWebhook id: String,
    generations: [Int64]
  ) -> String {
    let signed = Array("\(message.id).\(message.timestamp).".utf8) + message.body
    return [keyring.current, keyring.previous].compactMap(\.self)
      .flatMap { secret in generations.map { Self.key(secret, id, $0) } }
      .map { "v1,\(Base64.encode(HMACSHA256.authenticate(signed, key: $0), .standard))" }
      .joined(separator: " ")
  }

  private static func key(_ secret: Secret, _ id: String, _ generation: Int64) -> [UInt8] {
    HKDFSHA256.derive(from: secret.bytes, info: Array("enlist webhook \(id) \(generation)".utf8))
  }
}
