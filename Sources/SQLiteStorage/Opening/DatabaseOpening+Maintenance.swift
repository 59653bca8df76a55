internal import GRDB
internal import GRDBSQLite

extension DatabaseOpening {
  /// Opens an existing database for copying or verifying it, while another process may write it.
  ///
  /// - Parameters:
  ///   - path: The database file, which is neither created nor changed; its schema may be older than
  ///     this program's.
  ///   - busyTimeout: How long to wait while another process opens or closes the database.
  /// - Returns: The open database and the version of its schema.
  /// - Throws: `BackupError.database`, after closing everything.
  static func source(
    path: String,
    busyTimeout: Duration
  ) throws(BackupError) -> (DatabaseQueue, version: Int) {
    let files = DatabaseFiles(path: path)
    do {
      try files.checkLog()
      var configuration = configuration(busyTimeout: busyTimeout)
      configuration.readonly = true
      let queue = try DatabaseQueue(path: files.database, configuration: configuration)
      let version = try queue.read { try Migrations.version(of: $0, path: path) }
      guard version > 0 else {
        throw StoreOpeningError.damaged(path: path, reason: "it has no tables")
      }
      return (queue, version)
    } catch {
      throw .database(StoreOpeningError(error, path: path))
    }
  }

  /// Opens an existing database for changing it as a whole, while no service uses it.
  ///
  /// - Parameters:
  ///   - file: The database file, which is not created.
  ///   - path: The path that the operator named, for errors.
  ///   - busyTimeout: How long to wait for the lock of another process.
  /// - Returns: The open database; what it commits is durable.
  /// - Throws: `StoreOpeningError`, after closing everything.
  static func owner(
    of file: String,
    named path: String,
    busyTimeout: Duration
  ) throws(StoreOpeningError) -> DatabaseQueue {
    guard FileIdentity(at: file) != nil else {
      throw .cannotOpen(path: path, code: SQLITE_CANTOPEN, reason: "unable to open database file")
    }
    do {
      let configuration = configuration(busyTimeout: busyTimeout)
      let queue = try DatabaseQueue(path: file, configuration: configuration)
      try queue.inDatabase { db in
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
}
