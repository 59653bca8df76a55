package import MailingList
package import Security

/// The only connection of a command, which can run while the service is running.
// Not Sendable: a single thread uses it.
package final class CommandDatabase: CommandAccess {
  private let path: String
  private let connection: SQLiteConnection
  private let lockWait: LockWait

  /// Opens an existing database.
  ///
  /// - Throws: `StoreOpeningError`, also when the schema is older than this program's.
  package init(path: String, busyTimeout: Duration = .seconds(5)) throws(StoreOpeningError) {
    self.path = path
    // A service under load releases the lock only for microseconds at a time.
    lockWait = LockWait(timeout: busyTimeout, longestPause: .microseconds(200))
    connection = try DatabaseOpening.eraser(path: path, lockWait: lockWait)
  }

  package func storedSecret() throws(StoreOpeningError) -> Keyring {
    do {
      return try access { db in try StoredSecret.existing(in: db, path: path) }
    } catch {
      throw StoreOpeningError(error, path: path)
    }
  }

  /// Runs a closure outside of a transaction.
  func access<Value>(_ body: (SQLiteConnection) throws -> Value) throws -> Value {
    lockWait.begin()
    return try body(connection)
  }

  /// Runs a closure in a transaction, which is rolled back if the closure throws.
  func transaction<Value>(
    _ begin: String = "BEGIN IMMEDIATE", _ body: (SQLiteConnection) throws -> Value
  ) throws -> Value {
    try access { db in try db.transaction(begin, body) }
  }

  package func perform<Value>(
    _ body: (any ListSession) throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    do {
      return try transaction { db in
        try body(SQLiteSession(db))
      }
    } catch {
      throw StoreError(error)
    }
  }

  /// Rewrites the file without unused pages, then empties the log.
  ///
  /// SQLite overwrites deleted content, but copies of a key remain in pages that were split earlier,
  /// so only a rewritten file is free of its bytes. Meanwhile the service waits as for any other
  /// writer: about one second per 100 MB.
  package func rewrite() throws(StoreError) {
    do {
      try access { db in try lockWait.retrying { try db.execute("VACUUM") } }
      try access { db in try lockWait.retrying { try db.emptyLog() } }
    } catch {
      throw StoreError(error)
    }
  }

  package func close() {
    // Only the checkpoint of the last connection could fail, and everything has already been
    // copied.
    try? connection.close()
  }
}
