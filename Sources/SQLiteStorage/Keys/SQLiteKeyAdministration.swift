package import MailingList

/// The keys of the operator's interface, in a database that a service may be using.
// Not Sendable: a single thread uses it.
package final class SQLiteKeyAdministration: KeyAdministration {
  private let database: CommandDatabase

  /// Opens an existing database.
  ///
  /// - Throws: `StoreOpeningError`, also when the schema is older than this program's.
  package init(
    path: String,
    busyTimeout: Duration = .seconds(5)
  ) throws(StoreOpeningError) {
    database = try CommandDatabase(path: path, busyTimeout: busyTimeout)
  }

  deinit {
    database.close()
  }

  /// Stores a new key, unless the database has ``KeyLimit/maximumCount`` keys already.
  ///
  /// - Throws: `KeyAdministrationError`; nothing was stored.
  package func create(_ key: StoredKey) throws(KeyAdministrationError) {
    try perform {
      try database.transaction { db in
        guard try Queries.validKeyCount(at: key.createdAt, in: db) < KeyLimit.maximumCount else {
          throw KeyAdministrationError.tooMany
        }
        guard try Queries.key(key.id, in: db) == nil else { throw KeyAdministrationError.exists }
        let statement = try db.statements[
          """
          INSERT INTO keys(id, name, scopes, hash, created_at, expires_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
          """
        ]
        statement.bind(key.id, at: 1)
        statement.bind(key.name, at: 2)
        statement.bind(key.scopeText, at: 3)
        statement.bind(key.hash, at: 4)
        statement.bind(key.createdAt.millisecondsSince1970, at: 5)
        statement.bind(key.expiresAt?.millisecondsSince1970, at: 6)
        try statement.run()
      }
    }
  }

  /// Reads all keys in the order of their creation.
  package func keys() throws(KeyAdministrationError) -> [StoredKey] {
    try perform { try database.access { db in try Queries.keys(in: db) } }
  }

  /// Revokes a key permanently; returns whether this call revoked it.
  package func revoke(_ id: String, at time: Timestamp) throws(KeyAdministrationError) -> Bool {
    try perform {
      try database.transaction { db in
        guard try Queries.key(id, in: db) != nil else {
          throw KeyAdministrationError.unknown(id: id)
        }
        let statement = try db.statements[
          "UPDATE keys SET revoked_at = ?1 WHERE id = ?2 AND revoked_at IS NULL"
        ]
        statement.bind(time.millisecondsSince1970, at: 1)
        statement.bind(id, at: 2)
        try statement.run()
        return db.changesCount > 0
      }
    }
  }

  private func perform<Value>(
    _ body: () throws -> Value
  ) throws(KeyAdministrationError) -> Value {
    do {
      return try body()
    } catch let error as KeyAdministrationError {
      throw error
    } catch {
      throw .store(StoreError(error))
    }
  }
}
