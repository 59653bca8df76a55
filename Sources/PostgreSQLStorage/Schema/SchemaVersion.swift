/// The schema that a database has.
enum SchemaVersion: Hashable, Sendable {
  /// There is no schema, or an empty one.
  case none
  /// There is a schema of another program.
  case foreign
  /// A version, and a list that is being copied to the database.
  case unfinishedCopy(Int)
  /// A version, and the oldest version whose programs may use it.
  case version(Int, worksFrom: Int)

  /// The table that a database has while a list is being copied to it.
  static let copyTable = "copy_progress"

  /// Returns why a program must not use the schema.
  ///
  /// - Returns: The reason; `nil` if the program may use it, after migrating it.
  func rejection(known: Int) -> ServerRejection? {
    switch self {
    case .none: nil
    case .foreign: .foreignSchema
    case .unfinishedCopy: .unfinishedCopy
    case .version(let found, let worksFrom):
      worksFrom > known
        ? .schemaNewer(found: found, worksFrom: worksFrom, known: known) : nil
    }
  }

  /// The number of the version; 0 if there is none.
  var number: Int {
    switch self {
    case .none, .foreign: 0
    case .version(let number, _), .unfinishedCopy(let number): number
    }
  }
}

extension PostgreSQLSession {
  /// Reads the version of the schema `enlist`.
  ///
  /// - Parameter deadline: The time by which the result must arrive.
  func schemaVersion(
    by deadline: ContinuousClock.Instant
  ) throws(PostgreSQLError) -> SchemaVersion {
    let tables = try execute(
      Query(
        """
        SELECT count(*), count(*) FILTER (WHERE c.relname = 'schema_migrations' AND (
          SELECT count(*) FROM pg_catalog.pg_attribute a
            WHERE a.attrelid = c.oid AND a.attname IN ('version', 'works_from')
        ) = 2), count(*) FILTER (WHERE c.relname = $1)
        FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = 'enlist' AND c.relkind IN ('r', 'p', 'v')
        """
      ).binding(SchemaVersion.copyTable),
      by: deadline
    )
    if try tables.required(0, 0, as: Int64.self) == 0 { return .none }
    if try tables.required(0, 1, as: Int64.self) == 0 { return .foreign }
    let row = try execute(
      Query("SELECT max(version), max(works_from) FROM enlist.schema_migrations"),
      by: deadline
    )
    guard let version: Int32 = try row.value(0, 0), let from: Int32 = try row.value(0, 1) else {
      return .foreign
    }
    if try tables.required(0, 2, as: Int64.self) > 0 { return .unfinishedCopy(Int(version)) }
    return .version(Int(version), worksFrom: Int(from))
  }
}
