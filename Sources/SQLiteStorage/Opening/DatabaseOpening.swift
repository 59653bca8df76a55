internal import Security

/// An open database of the service.
struct OpenDatabase {
  let connection: SQLiteConnection
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
  /// (<https://www.sqlite.org/pragma.html#pragma_synchronous>). The pragma is read back, because it
  /// has no effect within a transaction.
  ///
  /// - Parameters:
  ///   - path: The database file; three files with the suffixes `-wal`, `-shm` and `-lock` are next
  ///     to it. Files that this function creates are accessible only to their owner.
  ///   - keyring: The secret of the service; `nil` reads that of the database, which is created at
  ///     the first start.
  static func writer(
    path: String, busyTimeout: Duration, keyring: Keyring?, warn: @Sendable (StoreWarning) -> Void
  ) throws(StoreOpeningError) -> OpenDatabase {
    DatabaseFiles.create(at: path)
    let files = DatabaseFiles(path: path)
    let lock = try lock(files, mayCreate: true, warn: warn)
    try files.checkLog()
    do {
      let db = try SQLiteConnection(path: files.database, busyTimeout: busyTimeout)
      guard !db.isReadOnly else { throw StoreOpeningError.readOnly(path: path) }
      guard try db.text("PRAGMA journal_mode = WAL") == "wal" else {
        throw StoreOpeningError.cannotOpen(path: path, reason: "it does not support WAL mode")
      }
      try db.execute("PRAGMA synchronous = FULL")
      let synchronous = Int(try db.number("PRAGMA synchronous") ?? 0)
      guard synchronous == 2 else {
        throw StoreOpeningError.notDurable(path: path, synchronous: synchronous)
      }
      // Overwrite deleted content, even when a page is split; Debian's SQLite does so by default.
      try db.execute("PRAGMA secure_delete = ON")
      try db.execute("PRAGMA journal_size_limit = \(LogFile.maximumBytes)")
      try db.transaction("BEGIN") { db in
        _ = try Migrations.version(of: db, path: path)
        try IntegrityCheck.checkSize(of: files, named: path, in: db)
      }
      try Migrations.run(db, path: path)
      let watch = try DatabaseWatch(files, of: db)
      // Closing the last connection deletes the log by its name, which may belong to another file by
      // then. The writer allows the deletion when it closes, after a final check.
      LogFile.keep(true, of: db)
      let keyring = try keyring ?? StoredSecret.keyring(in: db)
      lock.record(watch.owner)
      let readable = files.publiclyReadable
      if !readable.isEmpty { warn(.publiclyReadable(files: readable)) }
      return OpenDatabase(connection: db, lock: lock, watch: watch, files: files, keyring: keyring)
    } catch {
      throw StoreOpeningError(error, path: path)
    }
  }

  /// Takes the lock of a database, which must exist unless `mayCreate` is set.
  ///
  /// - Throws: `StoreOpeningError`, also while a service uses the database.
  static func lock(
    _ files: DatabaseFiles, mayCreate: Bool = false, warn: @Sendable (StoreWarning) -> Void
  ) throws(StoreOpeningError) -> StoreLock {
    try files.require(mayCreate: mayCreate)
    if let count = FileStatus(at: files.database)?.linkCount, count > 1 {
      warn(.hardLinks(path: files.path, count: count))
    }
    return try StoreLock(files, warn: warn)
  }

  /// Opens an existing database for reading while another process may be writing to it.
  static func reader(
    path: String, busyTimeout: Duration
  ) throws(StoreOpeningError) -> SQLiteConnection {
    try readOnly(path: path, busyTimeout: busyTimeout, isList: true) { db in
      try Migrations.check(db, path: path)
    }.0
  }

  /// Opens an existing database through a connection that cannot change it.
  static func readOnly<Value>(
    path: String, busyTimeout: Duration, isList: Bool = false,
    _ check: (SQLiteConnection) throws -> Value
  ) throws(StoreOpeningError) -> (SQLiteConnection, Value) {
    let files = DatabaseFiles(path: path)
    try files.require(isList: isList)
    try files.checkLog()
    do {
      let db = try SQLiteConnection(
        path: files.database, isReadOnly: true, busyTimeout: busyTimeout)
      let value = try db.transaction("BEGIN") { db in
        let value = try check(db)
        try IntegrityCheck.checkSize(of: files, named: path, in: db)
        return value
      }
      return (db, value)
    } catch {
      throw StoreOpeningError(error, path: path)
    }
  }

  /// Opens an existing database for erasing subscribers while another process may be writing to it.
  ///
  /// Deleted content is overwritten. Foreign keys are off: the eraser deletes consents before their
  /// subscribers, and the check would read all consents for each subscriber.
  static func eraser(path: String, lockWait: LockWait) throws(StoreOpeningError) -> SQLiteConnection
  {
    let files = DatabaseFiles(path: path)
    try files.require(isList: true)
    try files.checkLog()
    do {
      let db = try SQLiteConnection(path: files.database, lockWait: lockWait)
      try db.execute("PRAGMA foreign_keys = OFF")
      try db.transaction("BEGIN") { db in
        try Migrations.check(db, path: path)
        try IntegrityCheck.checkSize(of: files, named: path, in: db)
      }
      try prepareForChanges(db, path: path)
      return db
    } catch {
      throw StoreOpeningError(error, path: path)
    }
  }

  /// Makes commits of a command durable, and makes its deletions overwrite the content.
  static func prepareForChanges(_ db: SQLiteConnection, path: String) throws {
    guard !db.isReadOnly else { throw StoreOpeningError.readOnly(path: path) }
    try db.execute("PRAGMA secure_delete = ON")
    try db.execute("PRAGMA synchronous = FULL")
  }
}
