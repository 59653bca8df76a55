internal import GRDB
internal import GRDBSQLite
package import MailingList

/// Erases people from a database, next to the service that writes it.
///
/// A subscriber and all consents go in one transaction. Then the file is written anew and its log is
/// emptied: SQLite overwrites what it deletes, but leaves copies of a key in pages that were split
/// before, so only a file that is written anew has no byte of it. While that lasts, the service waits
/// as for any other writer: about a second for each 100 MB.
// Not Sendable: one thread uses it from the beginning to the end.
package final class SQLiteSubscriberEraser {
  private let database: DatabaseQueue
  private let lockWait: LockWait

  /// Opens a database that exists.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - busyTimeout: How long to wait for the service's lock, for each of the three steps.
  /// - Throws: `StoreOpeningError`, also for a schema that is older than this program's.
  package init(
    path: String,
    busyTimeout: Duration = .seconds(5)
  ) throws(StoreOpeningError) {
    // A service under load releases the lock for microseconds only.
    lockWait = LockWait(timeout: busyTimeout, longestPause: .microseconds(200))
    database = try DatabaseOpening.eraser(path: path, lockWait: lockWait)
  }

  /// Counts what ``erase(_:)`` would erase.
  ///
  /// - Parameter addresses: Whom; only the comparison keys count.
  /// - Returns: How many are on the list, and how many consents they have.
  /// - Throws: `StoreError`.
  package func count(_ addresses: [EmailAddress]) throws(StoreError) -> ErasedCounts {
    do {
      return try database.inDatabase { db in
        lockWait.begin()
        return try db.withinTransaction("BEGIN") {
          try Self.select(addresses, in: db)
          return ErasedCounts(
            subscribers: try db.count("SELECT count(*) FROM temp.erased"),
            consents: try db.count("SELECT count(*) FROM consents WHERE \(Self.isErased)")
          )
        }
      }
    } catch {
      throw StoreError(error)
    }
  }

  /// Erases subscribers and their consents, in one transaction, and every byte of them.
  ///
  /// The files are written anew also when nobody is on the list: the bytes of somebody whom another
  /// program deleted may still be there, or those that an earlier erasure left.
  ///
  /// - Parameter addresses: Whom; only the comparison keys count.
  /// - Returns: How many subscribers and consents were erased.
  /// - Throws: `ErasureError`.
  package func erase(_ addresses: [EmailAddress]) throws(ErasureError) -> ErasedCounts {
    let counts: ErasedCounts
    do {
      counts = try database.inDatabase { db in
        lockWait.begin()
        return try db.withinTransaction("BEGIN IMMEDIATE") {
          try Self.select(addresses, in: db)
          return try Self.delete(in: db)
        }
      }
    } catch {
      throw .notErased(StoreError(error))
    }
    do {
      try database.inDatabase { db in
        lockWait.begin()
        try db.execute(sql: "VACUUM")
        lockWait.begin()
        try Self.emptyLog(of: db)
      }
    } catch {
      throw .bytesRemain(StoreError(error))
    }
    return counts
  }

  /// Closes the database.
  package func close() {
    // What could fail is the checkpoint of the last connection, and there is nothing to copy.
    try? database.close()
  }

  private static let isErased = "subscriber_id IN (SELECT id FROM temp.erased)"

  /// Collects the ids of the addresses that are on the list; ids only, because temporary tables have
  /// files of their own.
  private static func select(_ addresses: [EmailAddress], in db: Database) throws {
    try db.execute(sql: "CREATE TEMP TABLE IF NOT EXISTS erased(id INTEGER PRIMARY KEY)")
    try db.execute(sql: "DELETE FROM temp.erased")
    let statement = try db.makeStatement(
      sql: """
        INSERT OR IGNORE INTO temp.erased SELECT id FROM main.subscribers WHERE address_key = ?
        """
    )
    for address in addresses { try statement.execute(arguments: [address.key]) }
  }

  /// Deletes what was selected.
  ///
  /// The trigger would read all consents for each subscriber, so they are deleted before, in one
  /// pass, and the trigger is left out; within a transaction, so that nobody sees it missing.
  private static func delete(in db: Database) throws -> ErasedCounts {
    let name = Migrations.consentTrigger
    let trigger = try String.fetchOne(
      db,
      sql: "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = ?",
      arguments: [name]
    )
    try db.execute(sql: "DELETE FROM consents WHERE \(isErased)")
    let consents = db.changesCount
    try db.execute(sql: "DROP TRIGGER IF EXISTS \(name)")
    try db.execute(sql: "DELETE FROM subscribers WHERE id IN (SELECT id FROM temp.erased)")
    let subscribers = db.changesCount
    if let trigger { try db.execute(sql: trigger) }
    return ErasedCounts(subscribers: subscribers, consents: consents)
  }

  /// Copies the log into the database and empties it; the corresponding C function is
  /// `sqlite3_wal_checkpoint_v2`.
  private static func emptyLog(of db: Database) throws {
    let code = sqlite3_wal_checkpoint_v2(
      db.sqliteConnection,
      "main",
      SQLITE_CHECKPOINT_TRUNCATE,
      nil,
      nil
    )
    guard code == SQLITE_OK else { throw StoreError(code: code) }
  }
}

extension Database {
  /// Runs something in a transaction, which is rolled back when it throws.
  fileprivate func withinTransaction<Value>(
    _ begin: String,
    _ body: () throws -> Value
  ) throws -> Value {
    try execute(sql: begin)
    do {
      let value = try body()
      try execute(sql: "COMMIT")
      return value
    } catch {
      // Its failure is of no interest: closing the connection rolls back as well.
      if isInsideTransaction { try? execute(sql: "ROLLBACK") }
      throw error
    }
  }

  fileprivate func count(_ sql: String) throws -> Int {
    try Int.fetchOne(self, sql: sql) ?? 0
  }
}
