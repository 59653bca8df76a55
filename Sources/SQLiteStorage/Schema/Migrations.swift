internal import Platform
internal import CResources
internal import MailingList

/// The steps of the schema, one for each version, counted from 1.
///
/// Released steps are never edited, because databases that have them exist.
struct MigrationSteps: Sendable {
  let sql: [String]
  /// The schema of each version, including 0, and the optional objects of every version.
  let schemas: Result<(versions: [Schema], optional: Schema), any Error>

  /// Executes the steps in an in-memory database to determine the schemas.
  init(_ sql: [String]) {
    self.sql = sql
    schemas = Result {
      let db = try SQLiteConnection(path: ":memory:")
      try db.execute(Migrations.versionSchema)
      var versions = [try Schema(of: db)]
      for step in sql {
        try db.execute(step)
        versions.append(try Schema(of: db))
      }
      // Operators may run ANALYZE, which creates additional tables. A table with AUTOINCREMENT, even
      // a dropped one, leaves a table that cannot be dropped.
      try db.execute(
        """
        \(Migrations.copySchema);
        ANALYZE;
        CREATE TABLE numbered(id INTEGER PRIMARY KEY AUTOINCREMENT);
        DROP TABLE numbered
        """
      )
      return (versions, try Schema(of: db).subtracting(versions[sql.count]))
    }
  }
}

/// The versions of the schema that this program knows.
enum Migrations {
  /// The steps; tests add a fictitious one.
  @TaskLocal static var steps = MigrationSteps([
    String(decoding: resource_sqlite_tables_sql().bytes, as: UTF8.self)
  ])

  /// The trigger that deletes consents with their subscriber.
  static let consentTrigger = "subscribers_delete_consents"

  /// A table that exists only while a list is being copied to the database.
  static let copyTable = "copy_progress"

  static let copySchema = """
    CREATE TABLE \(copyTable)(
      table_name TEXT PRIMARY KEY,
      source TEXT NOT NULL,
      last_key BLOB,
      rows INTEGER NOT NULL DEFAULT 0
    ) STRICT
    """

  /// Begins a new epoch of the event log.
  static let newEpoch = """
    INSERT INTO log_epoch(epoch, since)
      SELECT lower(hex(randomblob(4))), max(unixepoch() * 1000, ifnull(max(since), 0) + 1)
        FROM log_epoch
    """

  private static let versionTable = "schema_migrations"

  /// The SQL that creates the table of versions, which exists before the first version.
  fileprivate static let versionSchema = """
    CREATE TABLE IF NOT EXISTS \(versionTable)(
      version INTEGER PRIMARY KEY,
      applied_at INTEGER NOT NULL
    ) STRICT
    """

  static var latest: Int { steps.sql.count }

  /// Migrates a database to the latest version in one transaction; writes nothing if it is current.
  ///
  /// - Throws: `StoreOpeningError` if the schema is newer or belongs to another program, or
  ///   `SQLiteError`; the database is then unchanged.
  static func run(_ db: SQLiteConnection, path: String) throws {
    guard try version(of: db, path: path) < latest else { return }
    try db.transaction { db in
      try db.execute(versionSchema)
      // Read the version again, because another process may have migrated the database meanwhile.
      for version in try version(of: db, path: path)..<latest {
        let now = Timestamp.now.millisecondsSince1970
        try db.execute(steps.sql[version])
        try db.execute(
          "INSERT INTO \(versionTable)(version, applied_at) VALUES (\(version + 1), \(now))")
      }
    }
  }

  /// Rejects a database whose schema version is not the latest.
  static func check(_ db: SQLiteConnection, path: String) throws {
    let found = try version(of: db, path: path)
    guard found == latest else {
      throw StoreOpeningError.schemaOlder(path: path, found: found, known: latest)
    }
  }

  /// Returns the schema version, 0 for an empty database; rejects newer, changed and foreign
  /// schemas.
  ///
  /// No code in the file runs before its schema has been matched to that version.
  static func version(
    of db: SQLiteConnection, path: String, mayBeUnfinished: Bool = false
  ) throws -> Int {
    let schema = try Schema(of: db)
    if schema.isEmpty { return 0 }
    let (versions, optional) = try steps.schemas.get()
    guard schema.agrees(on: versionTable, with: versions[0]) else {
      throw StoreOpeningError.foreign(path: path)
    }
    guard mayBeUnfinished || !schema.contains(copyTable) else {
      throw StoreOpeningError.unfinishedCopy(path: path)
    }
    let found = Int(try db.number("SELECT max(version) FROM \(versionTable)") ?? 0)
    guard found <= latest else {
      throw StoreOpeningError.schemaNewer(path: path, found: found, known: latest)
    }
    let expected = versions[max(found, 0)]
    if let reason = schema.difference(from: expected, optional: optional, version: found) {
      throw StoreOpeningError.schemaChanged(path: path, reason: reason)
    }
    return found
  }
}
