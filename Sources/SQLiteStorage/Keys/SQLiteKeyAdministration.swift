internal import Foundation
internal import GRDB
package import MailingList

/// The keys of the operator's interface in a database, which a service may be using.
// Not Sendable: a single thread uses it.
package final class SQLiteKeyAdministration: KeyAdministration {
  private let database: DatabaseQueue
  private let lockWait: LockWait

  /// Opens an existing database.
  ///
  /// - Parameters:
  ///   - path: The database file.
  ///   - busyTimeout: How long to wait for the service's lock.
  /// - Throws: `StoreOpeningError`, also when the schema is older than this program's.
  package init(
    path: String,
    busyTimeout: Duration = .seconds(5)
  ) throws(StoreOpeningError) {
    // A service under load releases the lock only for microseconds at a time.
    lockWait = LockWait(timeout: busyTimeout, longestPause: .microseconds(200))
    database = try DatabaseOpening.eraser(path: path, lockWait: lockWait)
  }

  deinit {
    // Only the checkpoint of the last connection could fail, and there is nothing left to copy.
    try? database.close()
  }

  /// Stores a new key, unless there are ``KeyLimit/maximumCount`` already.
  ///
  /// - Parameter key: The key.
  /// - Throws: `KeyAdministrationError`; then nothing was stored.
  package func create(_ key: StoredKey) throws(KeyAdministrationError) {
    try write { db in
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

  /// Reads all keys in the order of their creation.
  ///
  /// - Returns: The keys.
  /// - Throws: `KeyAdministrationError`.
  package func keys() throws(KeyAdministrationError) -> [StoredKey] {
    do {
      return try database.inDatabase { db in
        lockWait.begin()
        return try Queries.keys(in: db)
      }
    } catch {
      throw .store(StoreError(error))
    }
  }

  /// Revokes a key permanently.
  ///
  /// - Parameters:
  ///   - id: The public part of the key.
  ///   - time: The current time.
  /// - Returns: Whether the key had not been revoked before.
  /// - Throws: `KeyAdministrationError`.
  package func revoke(_ id: String, at time: Timestamp) throws(KeyAdministrationError) -> Bool {
    try write { db in
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

  /// Runs a closure in a transaction, which is rolled back if it throws.
  private func write<Value>(
    _ body: (Database) throws -> Value
  ) throws(KeyAdministrationError) -> Value {
    do {
      return try database.inDatabase { db in
        lockWait.begin()
        try db.execute(sql: "BEGIN IMMEDIATE")
        do {
          let value = try body(db)
          try db.execute(sql: "COMMIT")
          return value
        } catch {
          // A failed rollback is ignored, because closing the connection also rolls back.
          if db.isInsideTransaction { try? db.execute(sql: "ROLLBACK") }
          throw error
        }
      }
    } catch let error as KeyAdministrationError {
      throw error
    } catch {
      throw .store(StoreError(error))
    }
  }
}
