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
  /// The time for which a session lasts.
  package static let seconds: Int64 = 8 * 3600

  package let keyID: String
  /// The end, in seconds since 1970.
  package let end: Int64

  /// Begins a session.
  ///
  /// - Parameter now: The seconds since 1970.
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

  /// The text, as in the cookie.
  package func text(_ keyring: Keyring) -> String {
    let code = keyring.key(for: .session).mac(of: content)
    return "\(content).\(Base64.encode(code, .url))"
  }

  private var content: String { "\(keyID).\(end)" }
}
