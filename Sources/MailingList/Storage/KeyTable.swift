extension ListReader {
  package var keyTable: KeyTable { KeyTable(session) }
}

extension ListWriter {
  package var keyTable: KeyTable { KeyTable(session) }
}

/// The stored keys of the operator's interface.
// Not Sendable: one thread at a time uses it.
package struct KeyTable {
  private let session: any ListSession

  package init(_ session: any ListSession) {
    self.session = session
  }

  /// Reads a key; `nil` if there is none.
  package func key(_ id: String) throws(StoreError) -> StoredKey? {
    try session.first(Self.find(.text(id)), Self.key)
  }

  /// Reads all keys in the order of their creation.
  package func keys() throws(StoreError) -> [StoredKey] {
    try session.rows(Self.list(), Self.key)
  }

  /// Reads a key; `nil` if there is none, or only one that this release cannot read: a later one may
  /// have created a key with a scope that this one does not know.
  ///
  /// Every request with a key that was valid reads it, so a revocation takes effect with the next request, even if
  /// another process revokes the key.
  package func readableKey(_ id: String) throws(StoreError) -> StoredKey? {
    try session.rows(Self.find(.text(id))) { try? Self.key($0) }.compactMap(\.self).first
  }

  /// Stores the latest use of a key, if there is such a key; without an origin, the previous one
  /// remains.
  package func record(_ use: KeyUse) throws(StoreError) {
    _ = try session.change([
      Self.use(.text(use.id), .time(use.minute), .text(use.network), .text(use.origin))
    ])
  }

  /// Stores a new key; returns `false` if there are too many, or one with the same id.
  func create(_ key: StoredKey) throws(StoreError) -> Bool {
    try session.change([
      Self.lock(),
      Self.insert(
        .text(key.id), .text(key.name), .text(key.scopeText), .bytes(key.hash),
        .time(key.createdAt), .time(key.expiresAt), .number(Int64(StoredKey.maximumCount))
      )
      .required,
    ])
  }

  /// Revokes a key; returns `false` if it is unknown or was already revoked.
  func revoke(_ id: String, at time: Timestamp) throws(StoreError) -> Bool {
    try session.change([Self.revoke(.text(id), .time(time)).required])
  }

  private static func key(_ row: any ListRow) throws(StoreError) -> StoredKey {
    StoredKey(
      id: try row.required(row.text(0)), name: try row.required(row.text(1)),
      scopes: try row.required(row.text(2).flatMap { StoredKey.scopes($0) }),
      hash: try row.required(row.bytes(3)), createdAt: try row.required(row.time(4)),
      expiresAt: row.time(5), revokedAt: row.time(6), lastUsedAt: row.time(7),
      lastUsedFrom: row.text(8), lastOrigin: row.text(9))
  }

  private static let columns = """
    SELECT id, name, scopes, hash, created_at, expires_at, revoked_at, last_used_at,
      last_used_from, last_origin FROM enlist.keys
    """
  private static let find = Statement(columns + " WHERE id = ?1")
  private static let list = Statement(columns + " ORDER BY created_at, id")
  private static let use = Statement(
    """
    UPDATE enlist.keys SET last_used_at = ?2, last_used_from = ?3,
      last_origin = coalesce(?4, last_origin) WHERE id = ?1
    """
  )
  /// One creation at a time, so that each counts the keys of the others.
  private static let lock = Statement("UPDATE enlist.store_probe SET id = id WHERE id = 1")
  private static let insert = Statement(
    """
    INSERT INTO enlist.keys(id, name, scopes, hash, created_at, expires_at)
      SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE ?7 > (
        SELECT count(*) FROM enlist.keys k
          WHERE k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ?5)
      ) ON CONFLICT (id) DO NOTHING
    """
  )
  private static let revoke = Statement(
    "UPDATE enlist.keys SET revoked_at = ?2 WHERE id = ?1 AND revoked_at IS NULL")
}
