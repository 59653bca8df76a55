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
