internal import ArgumentParser
internal import SQLiteStorage

/// The `enlist backup` command, which copies the database to a file.
struct Backup: MaintenanceCommand {
  static let configuration = CommandConfiguration(
    abstract: "Copy the database to a file.",
    discussion: """
      The command works while the service is running, and no sign-up waits for it. The file \
      contains everything that was stored when the command began, and only its owner can access \
      it. A file of that name is replaced when the copy is complete; if the command is interrupted \
      or killed, the old file is unchanged. Until the copy is complete, the write-ahead log of a \
      running service grows by everything that is stored meanwhile. A backup contains personal \
      data and, without --secret, the secret of the service. The exit code is 0 if the backup is on \
      the disk, 65 if the database is damaged or belongs to another program or release, 75 if \
      another process is in the way, otherwise 1.
      """
  )

  @Argument(help: "Path of the backup; its folder must exist", completion: .file())
  var target: String
  @OptionGroup var database: DatabaseOptions

  func perform(_ settings: Settings) throws -> [String] {
    let backup = try showProgress { try writeBackup(settings, to: target, proceed: $0) }
    let size = "\(backup.byteCount) bytes"
    return [
      "wrote \(LineText.escaped(target)): \(size), schema version \(backup.schemaVersion)"
    ]
  }
}
