internal import Logging
internal import SQLiteStorage

/// Backs up the store of the settings, even while the service is running.
///
/// - Parameters:
///   - settings: Contain the location of the database and the time to wait for a lock.
///   - target: The path of the backup.
///   - proceed: Called about every millisecond; returns `false` to end the backup.
/// - Returns: The backup.
/// - Throws: `BackupError`, or `DatabaseServerError` if a server has the list.
func writeBackup(
  _ settings: Settings,
  to target: String,
  proceed: @escaping (CopyProgress) -> Bool
) throws -> SQLiteBackup {
  switch settings.database {
  case .sqlite(let path):
    try SQLiteBackup.write(
      path,
      to: target,
      busyTimeout: settings.databaseTimeout,
      proceed: proceed
    )
  case .postgresql: throw DatabaseServerError()
  }
}

/// Puts a backup in the place of the store of the settings, while no service is running.
///
/// - Parameters:
///   - backup: The path of the backup.
///   - settings: Contain the location of the database and the time to wait for a lock.
///   - proceed: Called about every millisecond; returns `false` to end the command.
/// - Returns: The restored database.
/// - Throws: `BackupError`, or `DatabaseServerError` if a server has the list.
func restoreBackup(
  _ backup: String,
  _ settings: Settings,
  proceed: @escaping (CopyProgress) -> Bool
) throws -> SQLiteRestore {
  let logger = Log.bootstrap(settings)
  defer { LogOutput.standardError.flush() }
  return switch settings.database {
  case .sqlite(let path):
    try SQLiteRestore.run(
      backup,
      to: path,
      busyTimeout: settings.databaseTimeout,
      warn: { logger.warning("\($0)") },
      proceed: proceed
    )
  case .postgresql: throw DatabaseServerError()
  }
}

/// Verifies a backup, or the store of the settings, even while the service is running.
///
/// - Parameters:
///   - backup: The path of the backup; `nil` verifies the store.
///   - settings: Contain the location of the database and the time to wait for a lock.
///   - proceed: Called about every millisecond; returns `false` to end the command.
/// - Returns: What the database contains.
/// - Throws: `BackupError`, or `DatabaseServerError` if a server has the list.
func verifyDatabase(
  _ backup: String?,
  _ settings: Settings,
  proceed: @escaping () -> Bool
) throws -> SQLiteVerification {
  let path: String
  switch (settings.database, backup) {
  case (_, let backup?): path = backup
  case (.sqlite(let database), nil): path = database
  case (.postgresql, nil): throw DatabaseServerError()
  }
  return try SQLiteVerification.run(
    on: path,
    busyTimeout: settings.databaseTimeout,
    proceed: proceed
  )
}

/// Migrates the store of the settings, while no service is running.
///
/// - Parameter settings: Contain the location of the database and the time to wait for a lock.
/// - Returns: The migration.
/// - Throws: `StoreOpeningError`, or `DatabaseServerError` if a server has the list.
func migrateDatabase(_ settings: Settings) throws -> SQLiteMigration {
  let logger = Log.bootstrap(settings)
  defer { LogOutput.standardError.flush() }
  return switch settings.database {
  case .sqlite(let path):
    try SQLiteMigration.run(
      on: path,
      busyTimeout: settings.databaseTimeout,
      warn: { logger.warning("\($0)") }
    )
  case .postgresql: throw DatabaseServerError()
  }
}

/// The command only deals with a file, but a server has the list.
struct DatabaseServerError: Error, CustomStringConvertible {
  /// What to do instead.
  var description: String {
    """
    the command is for SQLite files; the list is in PostgreSQL, so use the tools of the server \
    (the service migrates the schema at startup)
    """
  }
}
