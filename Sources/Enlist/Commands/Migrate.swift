internal import ArgumentParser
internal import SQLiteStorage

/// The `enlist migrate` command, which brings the schema of the database up to date.
struct Migrate: MaintenanceCommand {
  static let configuration = CommandConfiguration(
    abstract: "Migrate the database to the schema of this release.",
    discussion: """
      The service does the same when it starts; this command does it at a time of your choice, and \
      only while no service uses the database. A release before this one cannot use the database \
      afterwards, so make a backup first. Prints from which version to which. The exit code is 0 \
      if the schema is current, 65 if the database is damaged or belongs to another program or a \
      later release, 75 if a service or another program uses it, otherwise 1; then nothing has \
      changed.
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
