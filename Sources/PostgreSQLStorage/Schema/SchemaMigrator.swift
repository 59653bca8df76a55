/// The reason a schema was not migrated.
enum MigrationError: Error, Hashable, Sendable {
  /// The program must not use the schema.
  case rejected(ServerRejection)
  /// A statement failed.
  case failed(PostgreSQLError)
}

/// Brings the schema of a database to the latest version that the program knows.
///
/// Each step is a transaction under a lock that the database gives to one replica at a time. A newer
/// schema is left alone if it says that this program may go on, so replicas are replaced one by one.
struct SchemaMigrator {
  /// The steps; tests pass others.
  var migrations = Migration.all

  /// Migrates the schema; writes nothing if it is current.
  ///
  /// - Parameters:
  ///   - session: The session, outside a transaction. After an error it must be closed, because it
  ///     may be in one.
  ///   - deadline: The time by which the schema must be current.
  /// - Throws: `MigrationError`; then the schema is that of the last step that succeeded.
  func run(
    _ session: PostgreSQLSession,
    by deadline: ContinuousClock.Instant
  ) throws(MigrationError) {
    guard try version(session, by: deadline) < latest else { return }
    while try step(session, by: deadline) {}
  }

  /// The latest version that the program knows.
  var latest: Int { migrations.last?.version ?? 0 }

  private func version(
    _ session: PostgreSQLSession,
    by deadline: ContinuousClock.Instant
  ) throws(MigrationError) -> Int {
    let found: SchemaVersion
    do throws(PostgreSQLError) {
      found = try session.schemaVersion(by: deadline)
    } catch {
      throw .failed(error)
    }
    if let rejection = found.rejection(known: latest) { throw .rejected(rejection) }
    return found.number
  }

  /// Makes the next step.
  ///
  /// - Returns: Whether there may be another one.
  private func step(
    _ session: PostgreSQLSession,
    by deadline: ContinuousClock.Instant
  ) throws(MigrationError) -> Bool {
    try execute(Self.begin, session, by: deadline)
    // Another replica may have made it meanwhile.
    let version = try version(session, by: deadline)
    guard let next = migrations.first(where: { $0.version > version }) else {
      try execute("COMMIT", session, by: deadline)
      return false
    }
    try execute(
      """
      \(version == 0 ? Self.schema : "")
      SET LOCAL search_path = enlist, pg_temp;
      \(next.sql)
      INSERT INTO enlist.schema_migrations(version, works_from)
        VALUES (\(next.version), \(next.worksFrom));
      COMMIT
      """,
      session,
      by: deadline
    )
    return true
  }

  /// Creates the schema unless the operator has, for a role that may not create any.
  private static let schema = """
    DO $$ BEGIN
      IF NOT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = 'enlist') THEN
        CREATE SCHEMA enlist;
      END IF;
    END $$;
    """

  /// Begins a transaction, and waits for the lock before it looks at the tables.
  private static let begin = """
    BEGIN;
    SET LOCAL statement_timeout = 0;
    SELECT pg_advisory_xact_lock(hashtextextended('migrations', 3))
    """

  private func execute(
    _ sql: String,
    _ session: PostgreSQLSession,
    by deadline: ContinuousClock.Instant
  ) throws(MigrationError) {
    do throws(PostgreSQLError) {
      try session.execute(script: sql, by: deadline)
    } catch {
      throw .failed(error)
    }
  }
}
