internal import Foundation
internal import GRDB
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
        try db.execute(
          sql: """
            INSERT INTO keys(id, name, scopes, hash, created_at, expires_at)
              VALUES (?, ?, ?, ?, ?, ?)
            """,
          arguments: [
            key.id, key.name, key.scopeText, Data(key.hash), key.createdAt.millisecondsSince1970,
            key.expiresAt?.millisecondsSince1970,
          ]
        )
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
        try db.execute(
          sql: "UPDATE keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL",
          arguments: [time.millisecondsSince1970, id]
        )
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
