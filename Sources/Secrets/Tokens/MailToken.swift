internal import GnuTLS

/// The token in a link of a mail; knowing it is the only credential.
///
/// Its text is 43 characters of base64url. Stores keep ``hash`` only, and logs neither: its
/// description hides it.
package struct MailToken: Sendable {
  /// What a token allows its holder to do.
  package enum Purpose: Int64, Hashable, Sendable, CaseIterable {
    /// Confirm the subscription.
    case confirm = 0
    /// Leave the list, or stop mails to someone who never asked.
    case unsubscribe = 1

    /// The name from which tokens are derived.
    var name: String {
      switch self {
      case .confirm: "confirm"
      case .unsubscribe: "unsubscribe"
      }
    }
  }

  /// The number of bytes of a token.
  package static let byteCount = 32
  /// The number of characters of its text.
  package static let characterCount = 43

  private let bytes: [UInt8]

  /// Derives the token of a mail: HMAC(key, purpose ‖ 0 ‖ id).
  ///
  /// - Parameter mail: The bytes of the mail's id.
  init(_ purpose: Purpose, ofMail mail: [UInt8], key: DerivedKey) {
    bytes = key.mac(of: Array(purpose.name.utf8) + [0] + mail)
  }

  /// Parses the text of a token; `nil` when it is invalid.
  ///
  /// - Parameter text: Exactly 43 characters of base64url, of which the last encodes four bits.
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
