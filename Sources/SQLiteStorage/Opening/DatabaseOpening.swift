internal import GRDB
internal import GRDBSQLite
internal import Secrets

/// An open database of the service.
struct OpenDatabase {
  let pool: DatabasePool
  let lock: StoreLock
  let watch: DatabaseWatch
  let files: DatabaseFiles
  let keyring: Keyring
}

/// Functions that open a database file.
enum DatabaseOpening {
  /// Opens or creates a database for one writer and concurrent readers, and migrates its schema.
  ///
  /// The database is in WAL mode with `synchronous=FULL`, so that a commit survives a power loss
  /// (<https://www.sqlite.org/pragma.html#pragma_synchronous>). `DatabasePool` sets NORMAL after it
  /// has applied its configuration, and the pragma has no effect within a transaction; therefore it
  /// is set here, outside a transaction, and read back.
  ///
  /// - Parameters:
  ///   - path: The database file; three files with the suffixes `-wal`, `-shm` and `-lock` are next
  ///     to it. Files that this function creates are accessible only to their owner.
  ///   - keyring: The secret of the service; `nil` reads that of the database, which is created at
  ///     the first start.
  static func writer(
    path: String,
    busyTimeout: Duration,
    keyring: Keyring?,
    warn: @Sendable (StoreWarning) -> Void
  ) throws(StoreOpeningError) -> OpenDatabase {
    DatabaseFiles.create(at: path)
    let files = DatabaseFiles(path: path)
    let lock = try lock(files, mayCreate: true, warn: warn)
    try files.checkLog()
    do {
      var configuration = configuration(busyTimeout: busyTimeout)
      // Two for requests, one for the check of the file.
      configuration.maximumReaderCount = 3
      // The writer ends its transactions itself; otherwise GRDB would terminate the process after a
      // failed rollback.
      configuration.allowsUnsafeTransactions = true
      let pool = try DatabasePool(path: files.database, configuration: configuration)
      let (watch, keyring) = try pool.writeWithoutTransaction { db in
        guard sqlite3_db_readonly(db.sqliteConnection, "main") == 0 else {
          throw StoreOpeningError.readOnly(path: path)
        }
        try db.execute(sql: "PRAGMA synchronous = FULL")
        let synchronous = try Int.fetchOne(db, sql: "PRAGMA synchronous") ?? 0
        guard synchronous == 2 else {
          throw StoreOpeningError.notDurable(path: path, synchronous: synchronous)
        }
        // Overwrite deleted content, even when a page is split; Debian's SQLite does so by default.
        try db.execute(sql: "PRAGMA secure_delete = ON")
        try db.execute(sql: "PRAGMA journal_size_limit = \(LogFile.maximumBytes)")
        try db.inTransaction(.deferred) {
          _ = try Migrations.version(of: db, path: path)
          try IntegrityCheck.checkSize(of: files, named: path, in: db)
          return .commit
        }
        try Migrations.run(db, path: path)
        let watch = try DatabaseWatch(files, of: db)
        // Closing the last connection deletes the log by its name, which may belong to another file
        // by then. The writer allows the deletion when it closes, after a final check.
        LogFile.keep(true, of: db)
        return (watch, try keyring ?? StoredSecret.keyring(in: db))
      }
      lock.record(watch.owner)
      let readable = files.publiclyReadable
      if !readable.isEmpty { warn(.publiclyReadable(files: readable)) }
      return OpenDatabase(
        pool: pool,
        lock: lock,
        watch: watch,
        files: files,
        keyring: keyring
      )
    } catch {
      throw StoreOpeningError(error, path: path)
    }
  }

  /// Takes the lock of a database, which must exist unless `mayCreate` is set.
  ///
  /// - Throws: `StoreOpeningError`, also while a service uses the database.
  static func lock(
    _ files: DatabaseFiles,
    mayCreate: Bool = false,
    warn: @Sendable (StoreWarning) -> Void
  ) throws(StoreOpeningError) -> StoreLock {
    try files.require(mayCreate: mayCreate)
    if let count = FileStatus(at: files.database)?.linkCount, count > 1 {
      warn(.hardLinks(path: files.path, count: count))
    }
    return try StoreLock(files, warn: warn)
  }

  /// Opens an existing database for reading while another process may be writing to it.
  ///
  /// - Parameter allowsUnsafeTransactions: Whether a transaction may span several accesses.
  static func reader(
    path: String,
    busyTimeout: Duration,
    allowsUnsafeTransactions: Bool = false
  ) throws(StoreOpeningError) -> DatabaseQueue {
    try readOnly(
      path: path,
      busyTimeout: busyTimeout,
      allowsUnsafeTransactions: allowsUnsafeTransactions
    ) { db in try Migrations.check(db, path: path) }.0
  }

  /// Opens an existing database through a connection that cannot change it.
  ///
  /// - Parameter allowsUnsafeTransactions: Whether a transaction may span several accesses.
  static func readOnly<Value>(
    path: String,
    busyTimeout: Duration,
    allowsUnsafeTransactions: Bool = false,
    _ check: (Database) throws -> Value
  ) throws(StoreOpeningError) -> (DatabaseQueue, Value) {
    let files = DatabaseFiles(path: path)
    try files.require()
    try files.checkLog()
    do {
      var configuration = configuration(busyTimeout: busyTimeout)
      configuration.readonly = true
      configuration.allowsUnsafeTransactions = allowsUnsafeTransactions
      let queue = try DatabaseQueue(path: files.database, configuration: configuration)
      let value = try queue.read { db in
        let value = try check(db)
        try IntegrityCheck.checkSize(of: files, named: path, in: db)
        return value
      }
      return (queue, value)
    } catch {
      throw StoreOpeningError(error, path: path)
    }
  }

  /// Opens an existing database for erasing subscribers while another process may be writing to it.
  ///
  /// Deleted content is overwritten. Foreign keys are off: the eraser deletes consents before their
  /// subscribers, and the check would read all consents for each subscriber.
  ///
  /// - Parameter lockWait: The waiting policy for locks; it must outlive the connection.
  static func eraser(
    path: String,
    lockWait: LockWait
  ) throws(StoreOpeningError) -> DatabaseQueue {
    let files = DatabaseFiles(path: path)
    try files.require()
    try files.checkLog()
    do {
      var configuration = SQLiteLibrary.configuration()
      configuration.foreignKeysEnabled = false
      configuration.allowsUnsafeTransactions = true
      configuration.prepareDatabase { lockWait.install(on: $0) }
      let queue = try DatabaseQueue(path: files.database, configuration: configuration)
      try queue.inDatabase { db in
        try db.inTransaction(.deferred) {
          try Migrations.check(db, path: path)
          try IntegrityCheck.checkSize(of: files, named: path, in: db)
          return .commit
        }
        try prepareForChanges(db, path: path)
      }
      return queue
    } catch {
      throw StoreOpeningError(error, path: path)
    }
  }

  /// Makes commits of a command durable, and makes its deletions overwrite the content.
  static func prepareForChanges(_ db: Database, path: String) throws {
    guard sqlite3_db_readonly(db.sqliteConnection, "main") == 0 else {
      throw StoreOpeningError.readOnly(path: path)
    }
    try db.execute(sql: "PRAGMA secure_delete = ON")
    try db.execute(sql: "PRAGMA synchronous = FULL")
  }

  /// Returns the configuration of a connection that waits for other processes.
  static func configuration(busyTimeout: Duration) -> GRDB.Configuration {
    var configuration = SQLiteLibrary.configuration()
    configuration.foreignKeysEnabled = true
    // GRDB passes the milliseconds as a C int.
    let seconds = min(max(busyTimeout / .seconds(1), 0), 86_400)
    configuration.busyMode = .timeout(seconds)
    return configuration
  }
}
