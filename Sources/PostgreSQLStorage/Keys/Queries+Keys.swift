internal import MailingList

extension Queries {
  /// Reads a key.
  ///
  /// - Returns: The key; `nil` if there is none.
  static func key(
    _ id: String,
    in session: ReadSession
  ) throws(PostgreSQLError) -> StoredKey? {
    let rows = try session.read(Query(keySQL + " WHERE id = $1").binding(id))
    return rows.count > 0 ? try key(rows, 0) : nil
  }

  /// Reads all keys in the order of their creation.
  static func keys(in session: ReadSession) throws(PostgreSQLError) -> [StoredKey] {
    let rows = try session.read(Query(keySQL + " ORDER BY created_at, id"))
    var keys: [StoredKey] = []
    keys.reserveCapacity(rows.count)
    for row in 0..<rows.count { keys.append(try key(rows, row)) }
    return keys
  }

  /// Reads all keys, except those whose row no release that is known could have written.
  static func readableKeys(in session: ReadSession) throws(PostgreSQLError) -> [StoredKey] {
    let rows = try session.read(Query(keySQL))
    return (0..<rows.count).compactMap { try? key(rows, $0) }
  }

  /// Counts the subscribers of each state in a part of the list.
  ///
  /// - Parameters:
  ///   - id: Only subscribers with a greater id are counted; `nil` starts with the first.
  ///   - limit: The maximum number of subscribers, at least 1.
  static func subscriberCount(
    after id: Int64?,
    limit: Int,
    in session: ReadSession
  ) throws(PostgreSQLError) -> SubscriberCount.Part {
    let query = Query(
      """
      SELECT state, count(*), max(id) FROM (
        SELECT id, state FROM enlist.subscribers WHERE id > $1 ORDER BY id LIMIT $2
      ) AS part GROUP BY state
      """
    )
    let rows = try session.read(query.binding(id ?? .min).binding(Int64(limit)))
    var numbers: [Subscriber.State: Int] = [:]
    var last = Int64.min
    for row in 0..<rows.count {
      numbers[try rows.state(row, 0)] = Int(try rows.required(row, 1, as: Int64.self))
      last = max(last, try rows.required(row, 2))
    }
    let isLast = numbers.values.reduce(0, +) < limit
    return SubscriberCount.Part(numbers: numbers, last: isLast ? nil : last)
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
