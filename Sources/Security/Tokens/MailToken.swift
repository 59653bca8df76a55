/// The token in a link of a mail; knowing it is the only credential.
///
/// The text is 43 characters of base64url. Stores contain only its ``hash``, and logs neither: the
/// description hides it.
package struct MailToken: Sendable {
  /// The action that a token allows.
  package enum Purpose: Int64, Hashable, Sendable, CaseIterable {
    /// Confirm the subscription.
    case confirm = 0
    /// Leave the list, or stop mails to an address whose owner never signed up.
    case unsubscribe = 1

    /// The name from which tokens are derived.
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

  init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Derives the token of a mail from the bytes of its id: HMAC(key, purpose ‖ 0 ‖ id).
  init(_ purpose: Purpose, ofMail mail: [UInt8], key: DerivedKey) {
    bytes = key.mac(of: Array(purpose.name.utf8) + [0] + mail)
  }

  /// Parses exactly 43 characters of base64url, the last of which encodes four bits; `nil` if they
  /// are invalid.
  package init?(_ text: some StringProtocol) {
    guard text.utf8.count == Self.characterCount else { return nil }
    guard let bytes = Base64.decode(text, .url), bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  /// The text, for a link.
  package var text: String { Base64.encode(bytes, .url) }

  /// The SHA-256 of the token, as stored; 32 bytes.
  ///
  /// A plain hash suffices, because a token is as unpredictable as a key. Checking a link thus
  /// needs no secret.
  package var hash: [UInt8] { SHA256.hash(bytes) }
}

extension MailToken: CustomStringConvertible, CustomReflectable {
  /// Stars, so that no log contains the token.
  package var description: String { "***" }

  /// A mirror without children, so that no dump contains the token.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
