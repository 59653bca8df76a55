internal import ArgumentParser
internal import SQLiteStorage

/// The `enlist migrate` command, which brings the schema of the database up to date.
struct Migrate: MaintenanceCommand {
  static let configuration = CommandConfiguration(
    abstract: "Migrate the database to the schema of this release.",
    discussion: """
      The service does the same when it starts; this command does it at a time of your choice, while \
      no service uses the database. Make a backup first: an older release cannot use the database \
      afterwards.
      """
  )

  @OptionGroup var database: DatabaseOptions

  func perform(_ settings: Settings) throws -> [String] {
    let migration = try migrateDatabase(settings)
    return [migration.summary ?? "schema version \(migration.to) is current"]
  }
}

extension SQLiteMigration {
  /// `nil` if the schema was already up to date.
  var summary: String? {
    from == to ? nil : "migrated from schema version \(from) to \(to)"
  }
}
