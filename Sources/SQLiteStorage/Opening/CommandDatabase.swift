internal import GRDB
internal import MailingList

/// The one connection of a command that runs next to the service.
// Not Sendable: a single thread uses it.
final class CommandDatabase {
  private let queue: DatabaseQueue
  private let lockWait: LockWait

  /// Opens an existing database.
  ///
  /// - Parameters:
  ///   - path: The database file.
  ///   - busyTimeout: How long each access waits for the service's lock.
  /// - Throws: `StoreOpeningError`, also when the schema is older than this program's.
  init(path: String, busyTimeout: Duration) throws(StoreOpeningError) {
    // A service under load releases the lock only for microseconds at a time.
    lockWait = LockWait(timeout: busyTimeout, longestPause: .microseconds(200))
    queue = try DatabaseOpening.eraser(path: path, lockWait: lockWait)
  }

  /// Runs a closure outside of a transaction.
  ///
  /// - Parameter body: Uses the connection.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`.
  func access<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try queue.inDatabase { db in
      lockWait.begin()
      return try body(db)
    }
  }

  /// Runs a closure in a transaction, which is rolled back if the closure throws.
  ///
  /// - Parameters:
  ///   - begin: The statement that begins the transaction.
  ///   - body: Uses the connection.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`, or of the transaction.
  func transaction<Value>(
    _ begin: String = "BEGIN IMMEDIATE",
    _ body: (Database) throws -> Value
  ) throws -> Value {
    try access { db in
      try db.execute(sql: begin)
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
  }

  /// Closes the database.
  func close() {
    // Only the checkpoint of the last connection could fail, and there is nothing left to copy.
    try? queue.close()
  }
}
