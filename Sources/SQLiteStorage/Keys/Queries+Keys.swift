internal import Foundation
internal import GRDB
internal import MailingList

extension Queries {
  static func key(_ id: String, in db: Database) throws -> StoredKey? {
    let statement = try db.cachedStatement(sql: keySQL + " WHERE id = ?")
    return try Row.fetchOne(statement, arguments: [id]).map(key)
  }

  /// Reads all keys in the order of their creation.
  static func keys(in db: Database) throws -> [StoredKey] {
    try Row.fetchAll(db, sql: keySQL + " ORDER BY created_at, id").map(key)
  }

  /// Reads all keys, except rows that no known release could have written.
  static func readableKeys(in db: Database) throws -> [StoredKey] {
    try Row.fetchAll(db, sql: keySQL).compactMap { try? key($0) }
  }

  /// Counts the keys that are neither revoked nor expired.
  static func validKeyCount(at now: Timestamp, in db: Database) throws -> Int {
    try Int.fetchOne(
      db,
      sql: """
        SELECT count(*) FROM keys
        WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)
        """,
      arguments: [now.millisecondsSince1970]
    ) ?? 0
  }

  /// Counts the subscribers of each state by reading the whole list.
  static func subscriberCounts(in db: Database) throws -> [Subscriber.State: Int] {
    var counts: [Subscriber.State: Int] = [:]
    let rows = try Row.fetchCursor(
      db,
      sql: "SELECT state, count(*) FROM subscribers GROUP BY state"
    )
    while let row = try rows.next() {
      guard let state = Int64.fromDatabaseValue(row[0]).flatMap(Subscriber.State.init(rawValue:)),
        let count = Int.fromDatabaseValue(row[1])
      else { throw StoreError.damaged }
      counts[state] = count
    }
    return counts
  }

  private static let keySQL = """
    SELECT id, name, scopes, hash, created_at, expires_at, revoked_at, last_used_at,
      last_used_from, last_origin FROM keys
    """

  private static func key(_ row: Row) throws -> StoredKey {
    guard
      let id = String.fromDatabaseValue(row[0]),
      let name = String.fromDatabaseValue(row[1]),
      let scopes = String.fromDatabaseValue(row[2]).flatMap({ StoredKey.scopes($0) }),
      let hash = Data.fromDatabaseValue(row[3]),
      let createdAt = moment(row[4])
    else { throw StoreError.damaged }
    return StoredKey(
      id: id,
      name: name,
      scopes: scopes,
      hash: Array(hash),
      createdAt: createdAt,
      expiresAt: moment(row[5]),
      revokedAt: moment(row[6]),
      lastUsedAt: moment(row[7]),
      lastUsedFrom: String.fromDatabaseValue(row[8]),
      lastOrigin: String.fromDatabaseValue(row[9])
    )
  }
}
