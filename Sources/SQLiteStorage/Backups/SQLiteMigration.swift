/// A migration of a database that no service uses.
package struct SQLiteMigration: Hashable, Sendable {
  /// The version of the schema before the migration; 0 for an empty file.
  package let from: Int
  /// The version of the schema after the migration, the latest one.
  package let to: Int

  /// Migrates a database to the latest version of the schema, in one transaction; does nothing if
  /// the schema is current.
  ///
  /// The service does the same at startup.
  ///
  /// - Throws: `StoreOpeningError`, also while a service uses the database; nothing has changed.
  package static func run(
    on path: String, busyTimeout: Duration = .seconds(5),
    warn: @Sendable (StoreWarning) -> Void = { _ in }
  ) throws(StoreOpeningError) -> SQLiteMigration {
    let files = DatabaseFiles(path: path)
    try files.require(isList: true)
    let lock = try DatabaseOpening.lock(files, warn: warn)
    defer { lock.release() }
    lock.setOwner(to: FileStatus(at: files.database))
    try files.checkLog()
    let database = try DatabaseOpening.owner(
      of: files.database, named: path, busyTimeout: busyTimeout)
    do {
      // Check the schema first: no code in a file of another origin may run.
      _ = try Migrations.version(of: database, path: path)
      try IntegrityCheck.run(database, path: path)
      let migration = try run(on: database, path: path)
      try database.close()
      return migration
    } catch {
      throw StoreOpeningError(error, path: path)
    }
  }

  /// Migrates the database of a connection that may write and has no open transaction.
  ///
  /// - Throws: `StoreOpeningError` or `SQLiteError`; nothing has changed.
  static func run(on db: SQLiteConnection, path: String) throws -> SQLiteMigration {
    let from = try Migrations.version(of: db, path: path)
    try Migrations.run(db, path: path)
    return SQLiteMigration(from: from, to: Migrations.latest)
  }
}
