internal import Logging
internal import SQLiteStorage

/// Backs up the store of the settings, even while the service is running.
///
/// - Parameters:
///   - settings: Contain the location of the database and the time to wait for a lock.
///   - target: The path of the backup.
///   - proceed: Called about every millisecond; returns `false` to end the backup.
/// - Returns: The backup.
/// - Throws: `BackupError`.
func writeBackup(
  _ settings: Settings,
  to target: String,
  proceed: @escaping (CopyProgress) -> Bool
) throws(BackupError) -> SQLiteBackup {
  switch settings.database {
  case .sqlite(let path):
    try SQLiteBackup.write(
      path,
      to: target,
      busyTimeout: settings.databaseTimeout,
      proceed: proceed
    )
  }
}

/// Puts a backup in the place of the store of the settings, while no service is running.
///
/// - Parameters:
///   - backup: The path of the backup.
///   - settings: Contain the location of the database and the time to wait for a lock.
///   - proceed: Called about every millisecond; returns `false` to end the command.
/// - Returns: The restored database.
/// - Throws: `BackupError`.
func restoreBackup(
  _ backup: String,
  _ settings: Settings,
  proceed: @escaping (CopyProgress) -> Bool
) throws(BackupError) -> SQLiteRestore {
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
  }
}

/// Verifies a backup, or the store of the settings, even while the service is running.
///
/// - Parameters:
///   - backup: The path of the backup; `nil` verifies the store.
///   - settings: Contain the location of the database and the time to wait for a lock.
///   - proceed: Called about every millisecond; returns `false` to end the command.
/// - Returns: What the database contains.
/// - Throws: `BackupError`.
func verifyDatabase(
  _ backup: String?,
  _ settings: Settings,
  proceed: @escaping () -> Bool
) throws(BackupError) -> SQLiteVerification {
  switch settings.database {
  case .sqlite(let path):
    try SQLiteVerification.run(
      on: backup ?? path,
      busyTimeout: settings.databaseTimeout,
      proceed: proceed
    )
  }
}

/// Migrates the store of the settings, while no service is running.
///
/// - Parameter settings: Contain the location of the database and the time to wait for a lock.
/// - Returns: The migration.
/// - Throws: `StoreOpeningError`.
func migrateDatabase(_ settings: Settings) throws(StoreOpeningError) -> SQLiteMigration {
  let logger = Log.bootstrap(settings)
  defer { LogOutput.standardError.flush() }
  return switch settings.database {
  case .sqlite(let path):
    try SQLiteMigration.run(
      on: path,
      busyTimeout: settings.databaseTimeout,
      warn: { logger.warning("\($0)") }
    )
  }
}
