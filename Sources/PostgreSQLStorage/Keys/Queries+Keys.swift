internal import MailingList

extension Queries {
  /// Reads a key.
  ///
  /// - Parameters:
  ///   - id: The public part of the key.
  ///   - session: Any session.
  /// - Returns: The key; `nil` if there is none.
  /// - Throws: `PostgreSQLError`.
  static func key(
    _ id: String,
    in session: ReadSession
  ) throws(PostgreSQLError) -> StoredKey? {
    let rows = try session.read(Query(keySQL + " WHERE id = $1").binding(id))
    return rows.count > 0 ? try key(rows, 0) : nil
  }

  /// Reads all keys in the order of their creation.
  ///
  /// - Parameter session: Any session.
  /// - Returns: The keys.
  /// - Throws: `PostgreSQLError`.
  static func keys(in session: ReadSession) throws(PostgreSQLError) -> [StoredKey] {
    let rows = try session.read(Query(keySQL + " ORDER BY created_at, id"))
    var keys: [StoredKey] = []
    keys.reserveCapacity(rows.count)
    for row in 0..<rows.count { keys.append(try key(rows, row)) }
    return keys
  }

  /// Counts the subscribers of each state; reads the whole list.
  ///
  /// - Parameter session: Any session.
  /// - Returns: The number for each state that occurs.
  /// - Throws: `PostgreSQLError`.
  static func subscriberCounts(
    in session: ReadSession
  ) throws(PostgreSQLError) -> [Subscriber.State: Int] {
    let rows = try session.read(
      Query("SELECT state, count(*) FROM enlist.subscribers GROUP BY state")
    )
    var counts: [Subscriber.State: Int] = [:]
    for row in 0..<rows.count {
      counts[try rows.state(row, 0)] = Int(try rows.required(row, 1, as: Int64.self))
    }
    return counts
  }

  private static let keySQL = """
    SELECT id, name, scopes, hash, created_at, expires_at, revoked_at, last_used_at,
      last_used_from, last_origin FROM enlist.keys
    """

  private static func key(_ rows: QueryResult, _ row: Int) throws(PostgreSQLError) -> StoredKey {
    guard let scopes = StoredKey.scopes(try rows.required(row, 2, as: String.self)) else {
      throw .malformed
    }
    return StoredKey(
      id: try rows.required(row, 0),
      name: try rows.required(row, 1),
      scopes: scopes,
      hash: try rows.required(row, 3),
      createdAt: try rows.required(row, 4),
      expiresAt: try rows.value(row, 5),
      revokedAt: try rows.value(row, 6),
      lastUsedAt: try rows.value(row, 7),
      lastUsedFrom: try rows.value(row, 8),
      lastOrigin: try rows.value(row, 9)
    )
  }
}
