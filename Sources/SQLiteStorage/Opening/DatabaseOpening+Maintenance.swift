extension DatabaseOpening {
  /// Opens an existing database for copying or verifying it, while another process may be writing
  /// to it.
  ///
  /// - Parameter path: The database file, which is neither created nor changed; its schema may be
  ///   older than this program's.
  static func source(
    path: String, busyTimeout: Duration, isList: Bool = false
  ) throws(BackupError) -> (SQLiteConnection, version: Int) {
    do throws(StoreOpeningError) {
      let (db, version) = try readOnly(
        path: path, busyTimeout: busyTimeout, isList: isList
      ) { db in
        try Migrations.version(of: db, path: path)
      }
      guard version > 0 else { throw .damaged(path: path, reason: "it has no tables") }
      return (db, version)
    } catch {
      throw .database(error)
    }
  }

  /// Opens an existing database that no service uses, for changing it as a whole; its commits are
  /// durable.
  static func owner(
    of file: String, named path: String, busyTimeout: Duration
  ) throws(StoreOpeningError) -> SQLiteConnection {
    try DatabaseFiles(path: file).require(named: path)
    do {
      let db = try SQLiteConnection(path: file, busyTimeout: busyTimeout)
      try prepareForChanges(db, path: path)
      return db
    } catch {
      throw StoreOpeningError(error, path: path)
    }
  }
}
