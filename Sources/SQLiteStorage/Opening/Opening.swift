internal import GRDB
internal import GRDBSQLite

/// The two ways to open a database file.
enum Opening {
  /// Opens or creates a database, for one writer and readers beside it, and brings it up to date.
  ///
  /// It is in WAL mode with `synchronous=FULL`, so that a commit survives the loss of power
  /// (<https://www.sqlite.org/pragma.html#pragma_synchronous>). `DatabasePool` sets NORMAL after
  /// everything that its configuration can do, and a transaction ignores the pragma; therefore it is
  /// set here, outside one, and read back.
  ///
  /// - Parameters:
  ///   - path: The file; two more with `-wal` and `-shm` at the end lie beside it.
  ///   - busyTimeout: How long to wait for the lock of another process.
  /// - Returns: The open database.
  /// - Throws: `StoreOpeningError`; everything is closed again then.
  static func writer(
    path: String,
    busyTimeout: Duration
  ) throws(StoreOpeningError) -> DatabasePool {
    do {
      var configuration = configuration(busyTimeout: busyTimeout)
      configuration.maximumReaderCount = 2
      // Ending a transaction is the writer's own affair; without this, GRDB ends the process when a
      // rollback failed.
      configuration.allowsUnsafeTransactions = true
      let pool = try DatabasePool(path: path, configuration: configuration)
      try pool.writeWithoutTransaction { db in
        guard sqlite3_db_readonly(db.sqliteConnection, "main") == 0 else {
          throw StoreOpeningError.readOnly(path: path)
        }
        try db.execute(sql: "PRAGMA synchronous = FULL")
        let synchronous = try Int.fetchOne(db, sql: "PRAGMA synchronous") ?? 0
        guard synchronous == 2 else {
          throw StoreOpeningError.notDurable(path: path, synchronous: synchronous)
        }
        // Keys come in random order, so the longer the log, the more changes of a page it takes
        // into the file at once. It saves a sixth of the writer's CPU time beside SQLite's 1000, and
        // the checkpoints, which a sign-up may have to wait for, are rarer and longer.
        try db.execute(sql: "PRAGMA wal_autocheckpoint = 4000")
        try IntegrityCheck.run(db, path: path)
        try Migrations.run(db, path: path)
      }
      return pool
    } catch {
      throw StoreOpeningError(error, path: path)
    }
  }

  /// Opens a database that exists, to read it beside the process that writes it.
  ///
  /// - Parameters:
  ///   - path: The file, which is neither created nor changed.
  ///   - busyTimeout: How long to wait while the other process opens or closes it.
  /// - Returns: The open database.
  /// - Throws: `StoreOpeningError`; everything is closed again then.
  static func reader(
    path: String,
    busyTimeout: Duration
  ) throws(StoreOpeningError) -> DatabaseQueue {
    do {
      var configuration = configuration(busyTimeout: busyTimeout)
      configuration.readonly = true
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      try queue.read { try Migrations.check($0, path: path) }
      return queue
    } catch {
      throw StoreOpeningError(error, path: path)
    }
  }

  private static func configuration(busyTimeout: Duration) -> GRDB.Configuration {
    var configuration = GRDB.Configuration()
    configuration.foreignKeysEnabled = true
    // GRDB hands the milliseconds over as a C int.
    let seconds = min(max(busyTimeout / .seconds(1), 0), 86_400)
    configuration.busyMode = .timeout(seconds)
    return configuration
  }
}
