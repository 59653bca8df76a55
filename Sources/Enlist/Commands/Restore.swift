internal import ArgumentParser
internal import SQLiteStorage

/// The `enlist restore` command, which replaces the database with a backup.
struct Restore: MaintenanceCommand {
  static let configuration = CommandConfiguration(
    abstract: "Put a backup in the place of the database.",
    discussion: """
      Stop the service first. The backup is verified before anything changes, and the old database is \
      kept next to the new one, under its name with .replaced- and the time.
      """
  )

  @Argument(help: "Path of the backup; it is not changed", completion: .file())
  var backup: String
  @OptionGroup var database: DatabaseOptions

  func perform(_ settings: Settings) throws -> [String] {
    let restore = try showProgress { try restoreBackup(backup, settings, proceed: $0) }
    return restore.summary.map(LineText.escaped)
  }
}

extension SQLiteRestore {
  var summary: [String] {
    var lines = ["restored \(contents.counts)"]
    if let line = migration.summary { lines.append(line) }
    if let replaced { lines.append("kept the old database as \(replaced)") }
    return lines
  }
}
