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
  /// base64.
  ///
  /// One newline at the end is ignored.
  ///
  /// - Throws: `SecretError`, which never contains the text.
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

  /// Derives the key for a purpose from the secret in use.
  package func key(for purpose: KeyPurpose) -> DerivedKey {
    DerivedKey(from: current, for: purpose)
  }

  /// Derives the keys for a purpose from both secrets, for looking up stored values.
  package func keys(for purpose: KeyPurpose) -> [DerivedKey] {
    [current, previous].compactMap(\.self).map { DerivedKey(from: $0, for: purpose) }
  }
}
