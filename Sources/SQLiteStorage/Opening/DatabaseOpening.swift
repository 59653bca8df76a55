internal import GRDB
internal import GRDBSQLite

/// A database that is open for the service.
struct OpenDatabase {
  let pool: DatabasePool
  /// `nil` for what is no regular file.
  let lock: StoreLock?
  let watch: DatabaseWatch
  let files: DatabaseFiles
}

/// The ways to open a database file.
enum DatabaseOpening {
  /// Opens or creates a database, for one writer and readers beside it, and brings it up to date.
  ///
  /// It is in WAL mode with `synchronous=FULL`, so that a commit survives the loss of power
  /// (<https://www.sqlite.org/pragma.html#pragma_synchronous>). `DatabasePool` sets NORMAL after
  /// everything that its configuration can do, and a transaction ignores the pragma; therefore it is
  /// set here, outside one, and read back.
  ///
  /// - Parameters:
  ///   - path: The file; three more with `-wal`, `-shm` and `-lock` at the end are next to it. Those
  ///     that are created are for their owner only.
  ///   - busyTimeout: How long to wait for the lock of another process.
  ///   - warn: Called with what the operator should know.
  /// - Returns: The open database, its lock, and what watches over its files.
  /// - Throws: `StoreOpeningError`; everything is closed again then.
  static func writer(
    path: String,
    busyTimeout: Duration,
    warn: @Sendable (StoreWarning) -> Void
  ) throws(StoreOpeningError) -> OpenDatabase {
    DatabaseFiles.create(at: path)
    let files = DatabaseFiles(path: path)
    let lock = try lock(files, warn: warn)
    try files.checkLog()
    do {
      var configuration = configuration(busyTimeout: busyTimeout)
      configuration.maximumReaderCount = 2
      // Ending a transaction is the writer's own affair; without this, GRDB ends the process when a
      // rollback failed.
      configuration.allowsUnsafeTransactions = true
      let pool = try DatabasePool(path: files.database, configuration: configuration)
      let watch = try pool.writeWithoutTransaction { db in
        guard sqlite3_db_readonly(db.sqliteConnection, "main") == 0 else {
          throw StoreOpeningError.readOnly(path: path)
        }
        try db.execute(sql: "PRAGMA synchronous = FULL")
        let synchronous = try Int.fetchOne(db, sql: "PRAGMA synchronous") ?? 0
        guard synchronous == 2 else {
          throw StoreOpeningError.notDurable(path: path, synchronous: synchronous)
        }
        // Deleted content is overwritten, also where a page is split; Debian's SQLite does so anyway.
        try db.execute(sql: "PRAGMA secure_delete = ON")
        try db.execute(sql: "PRAGMA journal_size_limit = \(LogFile.maximumBytes)")
        try IntegrityCheck.run(db, path: path)
        try Migrations.run(db, path: path)
        let watch = try DatabaseWatch(files, of: db)
        // Closing the last connection deletes the log by its name, which may be another file's by
        // then; the writer allows it when it closes, after a last check.
        LogFile.keep(true, of: db)
        return watch
      }
      lock?.record(watch.owner)
      let readable = files.publiclyReadable
      if !readable.isEmpty { warn(.publiclyReadable(files: readable)) }
      return OpenDatabase(pool: pool, lock: lock, watch: watch, files: files)
    } catch {
      throw StoreOpeningError(error, path: path)
    }
  }

  /// Takes the lock of a database.
  ///
  /// - Returns: The lock; `nil` when there is no file, and so SQLite will report what is wrong.
  private static func lock(
    _ files: DatabaseFiles,
    warn: @Sendable (StoreWarning) -> Void
  ) throws(StoreOpeningError) -> StoreLock? {
    guard let status = FileStatus(at: files.database), status.isRegular else { return nil }
    if status.linkCount > 1 { warn(.hardLinks(path: files.path, count: status.linkCount)) }
    return try StoreLock(files, warn: warn)
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
    let files = DatabaseFiles(path: path)
    try files.checkLog()
    do {
      var configuration = configuration(busyTimeout: busyTimeout)
      configuration.readonly = true
      let queue = try DatabaseQueue(path: files.database, configuration: configuration)
      try queue.read { try Migrations.check($0, path: path) }
      return queue
    } catch {
      throw StoreOpeningError(error, path: path)
    }
  }

  /// Opens a database that exists, to erase people from it next to the process that writes it.
  ///
  /// - Parameters:
  ///   - path: The file, which is not created.
  ///   - lockWait: How the connection waits for locks; it has to outlive the connection.
  /// - Returns: The open database. Deleted content is overwritten; foreign keys are off, because the
  ///   consents are deleted before the subscribers, and the check would read all of them for each.
  /// - Throws: `StoreOpeningError`; everything is closed again then.
  static func eraser(
    path: String,
    lockWait: LockWait
  ) throws(StoreOpeningError) -> DatabaseQueue {
    let files = DatabaseFiles(path: path)
    guard FileIdentity(at: path) != nil else {
      throw .cannotOpen(path: path, code: SQLITE_CANTOPEN, reason: "unable to open database file")
    }
    try files.checkLog()
    do {
      var configuration = GRDB.Configuration()
      configuration.foreignKeysEnabled = false
      configuration.allowsUnsafeTransactions = true
      configuration.prepareDatabase { lockWait.install(on: $0) }
      let queue = try DatabaseQueue(path: files.database, configuration: configuration)
      try queue.inDatabase { db in
        try Migrations.check(db, path: path)
        guard sqlite3_db_readonly(db.sqliteConnection, "main") == 0 else {
          throw StoreOpeningError.readOnly(path: path)
        }
        try db.execute(sql: "PRAGMA secure_delete = ON")
        try db.execute(sql: "PRAGMA synchronous = FULL")
      }
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
