/// The reason why a schema was not migrated.
enum MigrationError: Error, Hashable, Sendable {
  /// The program must not use the schema.
  case rejected(ServerRejection)
  /// A statement failed.
  case failed(PostgreSQLError)
}

/// The migration of a database's schema to the latest version that the program knows.
///
/// Each step is a transaction under a lock that one replica at a time can hold. A newer schema
/// remains unchanged if older programs can use it, so replicas can be replaced one by one.
struct SchemaMigrator {
  /// The steps; tests replace them.
  var migrations = Migration.all

  /// Migrates the schema; writes nothing if it is current.
  ///
  /// - Parameter session: A session outside a transaction. After an error it must be closed,
  ///   because it may be inside one.
  /// - Throws: `MigrationError`; the schema is then that of the last successful step.
  func run(
    _ session: PostgreSQLSession, by deadline: ContinuousClock.Instant
  ) throws(MigrationError) {
    guard try version(session, by: deadline) < latest else { return }
    while try step(session, by: deadline) {}
  }

  /// The latest version that the program knows.
  var latest: Int { migrations.last?.version ?? 0 }

  private func version(
    _ session: PostgreSQLSession, by deadline: ContinuousClock.Instant
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

  /// Executes the next step; returns whether another one may follow.
  private func step(
    _ session: PostgreSQLSession, by deadline: ContinuousClock.Instant
  ) throws(MigrationError) -> Bool {
    try execute(Self.begin, session, by: deadline)
    // Another replica may have migrated the schema since the first check.
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

  /// The statement that creates the schema, unless the operator has created it for a role without
  /// that right.
  private static let schema = """
    DO $$ BEGIN
      IF NOT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = 'enlist') THEN
        CREATE SCHEMA enlist;
      END IF;
    END $$;
    """

  /// The statements that begin a transaction and wait for the lock before reading the tables.
  private static let begin = """
    BEGIN;
    SET LOCAL statement_timeout = 0;
    SELECT pg_advisory_xact_lock(hashtextextended('migrations', 3))
    """

  private func execute(
    _ sql: String, _ session: PostgreSQLSession, by deadline: ContinuousClock.Instant
  ) throws(MigrationError) {
    do throws(PostgreSQLError) {
      try session.execute(script: sql, by: deadline)
    } catch {
      throw .failed(error)
    }
  }
}
