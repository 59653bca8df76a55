/// A key of the operator's interface as it is stored: never the key itself, but its hash.
package struct StoredKey: Hashable, Sendable {
  /// Whether a key is accepted.
  package enum Status: String, Hashable, Sendable {
    /// The key is accepted.
    case valid
    /// The key has expired.
    case expired
    /// The key was revoked.
    case revoked
  }

  /// The public part of the key, by which it is found.
  package let id: String
  /// The name that the operator gave it.
  package let name: String
  /// What it allows.
  package let scopes: Set<KeyScope>
  /// The SHA-256 of the whole key.
  package let hash: [UInt8]
  /// When it was made.
  package let createdAt: Timestamp
  /// When it expires; `nil` for never.
  package let expiresAt: Timestamp?
  /// When it was revoked; `nil` unless it was.
  package var revokedAt: Timestamp?
  /// The minute in which it was last used; `nil` if it never was.
  package var lastUsedAt: Timestamp?
  /// The network from which it was last used: a /24 or a /48.
  package var lastUsedFrom: String?
  /// The origin of the page that last used it, which no page may.
  package var lastOrigin: String?

  /// Creates a key from stored values.
  package init(
    id: String,
    name: String,
    scopes: Set<KeyScope>,
    hash: [UInt8],
    createdAt: Timestamp,
    expiresAt: Timestamp? = nil,
    revokedAt: Timestamp? = nil,
    lastUsedAt: Timestamp? = nil,
    lastUsedFrom: String? = nil,
    lastOrigin: String? = nil
  ) {
    self.id = id
    self.name = name
    self.scopes = scopes
    self.hash = hash
    self.createdAt = createdAt
    self.expiresAt = expiresAt
    self.revokedAt = revokedAt
    self.lastUsedAt = lastUsedAt
    self.lastUsedFrom = lastUsedFrom
    self.lastOrigin = lastOrigin
  }

  /// Returns whether the key is accepted.
  ///
  /// - Returns: The status; a key that was revoked and has expired is revoked.
  package func status(at now: Timestamp) -> Status {
    if revokedAt != nil { return .revoked }
    if let expiresAt, expiresAt <= now { return .expired }
    return .valid
  }

  /// The scopes as they are stored and listed: their names, separated by commas.
  package var scopeText: String {
    KeyScope.allCases.filter(scopes.contains).map(\.rawValue).joined(separator: ",")
  }

  /// Reads scopes from names that are separated by commas.
  ///
  /// - Returns: The scopes; `nil` if there is none, or a name is unknown.
  package static func scopes(_ text: some StringProtocol) -> Set<KeyScope>? {
    var scopes: Set<KeyScope> = []
    for name in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let scope = KeyScope(rawValue: String(name)) else { return nil }
      scopes.insert(scope)
    }
    return scopes.isEmpty ? nil : scopes
  }
}
