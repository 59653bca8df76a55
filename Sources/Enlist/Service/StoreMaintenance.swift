internal import ListStorage
internal import Logging
internal import MailingList
internal import PostgreSQLStorage
internal import SQLiteStorage

/// Backs up the store of the settings, even while the service is running.
///
/// - Parameter proceed: Called about every millisecond; returns `false` to end the backup.
/// - Throws: `BackupError`, or `DatabaseServerError` if the list is on a server.
func writeBackup(
  _ settings: Settings, to target: String, proceed: @escaping (CopyProgress) -> Bool
) throws -> SQLiteBackup {
  switch settings.database {
  case .sqlite(let path):
    try SQLiteBackup.write(
      path, to: target, busyTimeout: settings.databaseTimeout, proceed: proceed)
  case .postgresql: throw DatabaseServerError.backup
  }
}

/// Replaces the store of the settings with a backup, while no service is running.
///
/// - Parameter proceed: Called about every millisecond; returns `false` to end the command.
/// - Throws: `BackupError`, or `DatabaseServerError` if the list is on a server.
func restoreBackup(
  _ backup: String, _ settings: Settings, proceed: @escaping (CopyProgress) -> Bool
) throws -> SQLiteRestore {
  let logger = Log.bootstrap(settings)
  defer { LogOutput.standardError.flush() }
  return switch settings.database {
  case .sqlite(let path):
    try SQLiteRestore.run(
      backup, to: path, busyTimeout: settings.databaseTimeout, warn: { logger.warning("\($0)") },
      proceed: proceed)
  case .postgresql: throw DatabaseServerError.restore
  }
}

/// Verifies a backup, or without one the store of the settings, even while the service is running.
///
/// - Throws: `BackupError`, or `DatabaseServerError` if the list is on a server.
func verifyDatabase(_ backup: String?, _ settings: Settings) throws -> SQLiteVerification {
  let path: String
  switch (settings.database, backup) {
  case (_, let backup?): path = backup
  case (.sqlite(let database), nil): path = database
  case (.postgresql, nil): throw DatabaseServerError.verify
  }
  return try SQLiteVerification.run(on: path, busyTimeout: settings.databaseTimeout)
}

/// Migrates the store of the settings, while no service is running.
///
/// - Throws: `StoreOpeningError`, or `DatabaseServerError` if the list is on a server.
func migrateDatabase(_ settings: Settings) throws -> SQLiteMigration {
  let logger = Log.bootstrap(settings)
  defer { LogOutput.standardError.flush() }
  return switch settings.database {
  case .sqlite(let path):
    try SQLiteMigration.run(
      on: path, busyTimeout: settings.databaseTimeout, warn: { logger.warning("\($0)") })
  case .postgresql: throw DatabaseServerError.migrate
  }
}

/// Opens the source or the target of a copy, while no service is running.
func openCopyEnd(
  _ location: DatabaseLocation, as role: CopyRole, _ settings: Settings, logger: Logger
) throws -> any CopyEnd {
  switch location {
  case .sqlite(let path):
    return try SQLiteCopyEnd(
      path: path, as: role, busyTimeout: settings.databaseTimeout, warn: { logger.warning("\($0)") }
    )
  case .postgresql(let parameters, _):
    return try PostgreSQLCopyEnd(parameters, as: role, timeout: settings.serverTimeout)
  }
}

/// The use of a command that is only for files with a database on a server.
enum DatabaseServerError: Error, Hashable, CaseIterable {
  case backup
  case restore
  case verify
  case migrate

  /// The exit code (`sysexits.h`): `EX_USAGE`.
  static let code: Int32 = 64
}

extension DatabaseServerError: CustomStringConvertible {
  /// The alternative for a server.
  var description: String {
    let remedy =
      switch self {
      case .backup: "use pg_dump, or the server's own backups"
      case .restore: "stop all replicas and use pg_restore, or the server's own backups"
      case .verify: "use pg_amcheck; to verify a backup file, give its path"
      case .migrate: "start one replica of the new release, which migrates the schema"
      }
    return "the list is in PostgreSQL, and this command is for SQLite files: \(remedy)"
  }
}
