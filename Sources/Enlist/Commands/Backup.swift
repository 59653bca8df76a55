internal import ArgumentParser
internal import SQLiteStorage

/// The `enlist backup` command, which copies the database to a file.
struct Backup: MaintenanceCommand {
  static let configuration = CommandConfiguration(
    abstract: "Copy the database to a file.",
    discussion: """
      Works while the service is running, and no sign-up waits for it. A backup contains personal \
      data and, without --secret, the secret of the service; only its owner can access it.
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
