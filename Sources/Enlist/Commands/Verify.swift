internal import ArgumentParser
internal import SQLiteStorage

/// The `enlist verify` command, which checks a database or a backup.
struct Verify: MaintenanceCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check that the database or a backup is intact.",
    discussion: """
      Checks the schema, every page, index and reference, and reads every row as the service reads \
      it. Changes nothing, and works while the service is running.
      """
  )

  @Argument(help: "Path of a backup (default: the database)", completion: .file())
  var backup: String?
  @OptionGroup var database: DatabaseOptions

  func perform(_ settings: Settings) throws -> [String] {
    // Nothing is changed, so a signal may simply end the process.
    [try verifyDatabase(backup, settings).summary]
  }
}

extension SQLiteVerification {
  /// The numbers of rows, such as "1 subscriber and 3 consents".
  var counts: String {
    func text(_ count: Int, _ noun: String) -> String {
      "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
    return "\(text(subscribers, "subscriber")) and \(text(consents, "consent"))"
  }

  var summary: String {
    let version = "schema version \(schemaVersion)"
    return areRowsRead
      ? "intact: \(counts), \(version)"
      : """
      intact: \(counts), \(version); this program needs \(latestVersion), so the rows were not \
      read one by one
      """
  }
}
