internal import MailingList

extension Queries {
  static func key(_ id: String, in db: SQLiteConnection) throws(StoreError) -> StoredKey? {
    let statement = try db.statements[keySQL + " WHERE id = ?1"]
    statement.bind(id, at: 1)
    return try statement.first(key)
  }

  /// Reads all keys in the order of their creation.
  static func keys(in db: SQLiteConnection) throws(StoreError) -> [StoredKey] {
    try db.statements[keySQL + " ORDER BY created_at, id"].all(key)
  }

  /// Reads all keys, except rows that no known release could have written.
  static func readableKeys(in db: SQLiteConnection) throws(StoreError) -> [StoredKey] {
    try db.statements[keySQL].all { row in try? key(row) }.compactMap(\.self)
  }

  /// Counts the keys that are neither revoked nor expired.
  static func validKeyCount(
    at now: Timestamp,
    in db: SQLiteConnection
  ) throws(StoreError) -> Int {
    let statement = try db.statements[
      """
      SELECT count(*) FROM keys
      WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?1)
      """
    ]
    statement.bind(now.millisecondsSince1970, at: 1)
    return Int(try statement.first { row in row.number(0) ?? 0 } ?? 0)
  }

  /// Counts the subscribers of each state by reading the whole list.
  static func subscriberCounts(
    in db: SQLiteConnection
  ) throws(StoreError) -> [Subscriber.State: Int] {
    var counts: [Subscriber.State: Int] = [:]
    let statement = try db.statements["SELECT state, count(*) FROM subscribers GROUP BY state"]
    _ = try statement.all { (row) throws(StoreError) in
      guard let state = row.number(0).flatMap(Subscriber.State.init(rawValue:)),
        let count = row.number(1)
      else { throw .damaged }
      counts[state] = Int(count)
    }
    return counts
  }

  private static let keySQL = """
    SELECT id, name, scopes, hash, created_at, expires_at, revoked_at, last_used_at,
      last_used_from, last_origin FROM keys
    """

  private static func key(_ row: PreparedStatement) throws(StoreError) -> StoredKey {
    guard let id = row.text(0), let name = row.text(1),
      let scopes = row.text(2).flatMap({ StoredKey.scopes($0) }),
      let hash = row.bytes(3), let createdAt = row.time(4)
    else { throw .damaged }
    return StoredKey(
      id: id,
      name: name,
      scopes: scopes,
      hash: hash,
      createdAt: createdAt,
      expiresAt: row.time(5),
      revokedAt: row.time(6),
      lastUsedAt: row.time(7),
      lastUsedFrom: row.text(8),
      lastOrigin: row.text(9)
    )
  }
}
