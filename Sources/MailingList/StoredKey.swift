/// A permission of a key of the operator's interface.
package enum KeyScope: String, Hashable, Sendable, CaseIterable {
  /// Read the metrics.
  case metrics
  /// Log in to the board.
  case board
  /// Read subscribers, consents and counts.
  case read
  /// Change states, erase people, and send mails to confirm.
  case write
  /// Add subscribers.
  case add
  /// Read the event log.
  case events
  /// Manage webhooks.
  case webhooks
  /// Report bounces and complaints.
  case feedback
}

/// A key of the operator's interface as it is stored, with its hash instead of the key itself.
package struct StoredKey: Hashable, Sendable {
  /// The maximum number of keys that are neither revoked nor expired.
  package static let maximumCount = 100

  package enum Status: String, Hashable, Sendable {
    case valid
    case expired
    case revoked
  }

  /// The public part of the key, by which it is found.
  package let id: String
  /// The name chosen by the operator.
  package let name: String
  package let scopes: Set<KeyScope>
  /// The SHA-256 of the whole key, 32 bytes.
  package let hash: [UInt8]
  package let createdAt: Timestamp
  /// `nil` for a key that never expires.
  package let expiresAt: Timestamp?
  package var revokedAt: Timestamp?
  /// The minute of the last use; `nil` if the key has not been used.
  package var lastUsedAt: Timestamp?
  /// The network of the last use: a /24 or a /48.
  package var lastUsedFrom: String?
  /// The origin of a page that used the key last, although pages must not use keys.
  package var lastOrigin: String?

  package init(
    id: String, name: String, scopes: Set<KeyScope>, hash: [UInt8], createdAt: Timestamp,
    expiresAt: Timestamp? = nil, revokedAt: Timestamp? = nil, lastUsedAt: Timestamp? = nil,
    lastUsedFrom: String? = nil, lastOrigin: String? = nil
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

  /// Returns the status of the key; a key that was revoked and has expired is revoked.
  package func status(at now: Timestamp) -> Status {
    if revokedAt != nil { return .revoked }
    if let expiresAt, expiresAt <= now { return .expired }
    return .valid
  }

  /// The names of the scopes, separated by commas, as they are stored and listed.
  package var scopeText: String {
    KeyScope.allCases.filter(scopes.contains).map(\.rawValue).joined(separator: ",")
  }

  /// Reads scopes from names that are separated by commas; `nil` if there is none, or a name is
  /// unknown.
  package static func scopes(_ text: some StringProtocol) -> Set<KeyScope>? {
    var scopes: Set<KeyScope> = []
    for name in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let scope = KeyScope(rawValue: String(name)) else { return nil }
      scopes.insert(scope)
    }
    return scopes.isEmpty ? nil : scopes
  }
}

/// The stored properties of one use of a key.
package struct KeyUse: Hashable, Sendable {
  package let id: String
  /// The minute of the use.
  package let minute: Timestamp
  /// The network of the client: a /24 or a /48; `nil` if it is unknown.
  package let network: String?
  /// The origin of the page that used the key; `nil` for a program.
  package let origin: String?

  package init(of id: String, at time: Timestamp, from network: String?, origin: String? = nil) {
    self.id = id
    minute = Timestamp(millisecondsSince1970: time.millisecondsSince1970 / 60_000 * 60_000)
    self.network = network
    self.origin = origin
  }

  /// Returns whether a key has already stored this use.
  package func isKnown(to key: StoredKey) -> Bool {
    key.lastUsedAt == minute && key.lastUsedFrom == network
      && (origin == nil || key.lastOrigin == origin)
  }
}

/// The reason why keys could not be read or changed; its description is for the operator.
package enum KeyAdministrationError: Error, Hashable, Sendable {
  /// There are already ``StoredKey/maximumCount`` keys.
  case tooMany
  /// There is a key with the same id.
  case exists
  /// There is no key with this id.
  case unknown(id: String)
  /// The store failed.
  case store(StoreError)
}

extension KeyAdministrationError: CustomStringConvertible {
  /// A message of one line for the operator.
  package var description: String {
    switch self {
    case .tooMany: "there are \(StoredKey.maximumCount) keys already; revoke one that is not used"
    case .exists: "a key with the same id exists; try again"
    case .unknown(let id): "there is no key \(id); enlist keys list shows all"
    case .store(let error): "\(error)"
    }
  }
}
