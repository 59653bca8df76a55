/// The schema of a database.
enum SchemaVersion: Hashable, Sendable {
  /// There is no schema, or it is empty.
  case none
  /// The schema belongs to another program.
  case foreign
  /// The schema has this version, and contains an incomplete copy.
  case unfinishedCopy(Int)
  /// The schema has this version; `worksFrom` is the oldest version whose programs can use it.
  case version(Int, worksFrom: Int)

  /// The name of a table that exists only during a copy to the database.
  static let copyTable = "copy_progress"

  /// Returns the reason why a program must not use the schema; `nil` if it can, perhaps after a
  /// migration.
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
  func schemaVersion(by deadline: ContinuousClock.Instant) throws(PostgreSQLError) -> SchemaVersion
  {
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
      Query("SELECT max(version), max(works_from) FROM enlist.schema_migrations"), by: deadline)
    guard let version: Int32 = try row.value(0, 0), let from: Int32 = try row.value(0, 1) else {
      return .foreign
    }
    if try tables.required(0, 2, as: Int64.self) > 0 { return .unfinishedCopy(Int(version)) }
    return .version(Int(version), worksFrom: Int(from))
  }
}
