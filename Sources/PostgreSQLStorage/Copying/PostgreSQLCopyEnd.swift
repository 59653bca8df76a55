package import MailingList

/// A server's database that is the source or the target of a copy.
///
/// While it is open, no other copy can use the database. Connected services are detected only at
/// the beginning.
// Not Sendable: one thread uses it.
package final class PostgreSQLCopyEnd: CopyEnd {
  private static let copyTable = RowParts.schema + SchemaVersion.copyTable
  /// The timeout of a statement; the longest ones read or write a part.
  private static let statementTimeout: Duration = .seconds(600)

  private let opened: CommandConnection

  /// Connects to a database; creates the schema in an empty target.
  ///
  /// - Parameters:
  ///   - role: The role of the database in the copy. The source must also be the primary server,
  ///     which knows the connected services.
  ///   - timeout: The timeout of a statement before the copy begins, and of the wait for services
  ///     to disconnect.
  /// - Throws: `PostgreSQLOpeningError`, also while services are connected, and when the schema has
  ///   another version.
  package init(
    _ parameters: ConnectionParameters, as role: CopyRole, timeout: Duration = .seconds(5)
  ) throws(PostgreSQLOpeningError) {
    opened = try CommandConnection(parameters, timeout: timeout, mayRead: false, copying: role)
    // Parts are large, and the other database may be slow.
    let unlimited = "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0"
    let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    let hasBegun = try opened.opening { () throws(PostgreSQLError) in
      guard try isAlone(by: opened.end) else { return false }
      let session = try opened.session()
      try session.execute(script: unlimited, by: opened.end)
      if role == .source { try session.execute(script: begin, by: opened.end) }
      return true
    }
    guard hasBegun else { throw .inUse(location: location) }
  }

  deinit {
    opened.connection.close()
  }

  package var location: String { opened.location }

  package func createdAt() throws(StoreError) -> Int64 {
    try number(
      """
      SELECT (extract(epoch FROM applied_at) * 1000000)::bigint FROM enlist.schema_migrations
      WHERE version = 1
      """
    )
  }

  package func count(_ table: ListTable) throws(StoreError) -> Int {
    Int(try number(table.countSQL(schema: RowParts.schema)))
  }

  package func part(of table: ListTable, after key: [UInt8]?) throws(StoreError) -> RowPart {
    var query = Query(table.selectSQL(schema: RowParts.schema, isFirst: key == nil))
    if let key { try RowParts.bind(key, of: table, to: &query) }
    return try perform { session, end throws(PostgreSQLError) in
      try RowParts.read(session.execute(query, by: end), of: table)
    }
  }

  package func lastID() throws(StoreError) -> Int64 {
    try number(
      """
      SELECT greatest(
        (SELECT max(id) FROM enlist.subscribers),
        pg_sequence_last_value(pg_get_serial_sequence('enlist.subscribers', 'id')::regclass), 0
      )
      """
    )
  }

  package func progress() throws(StoreError) -> CopyState? {
    let rows = try perform { session, end throws(PostgreSQLError) -> QueryResult? in
      let find = Query("SELECT to_regclass($1) IS NOT NULL").binding(Self.copyTable)
      guard try session.execute(find, by: end).required(0, 0, as: Bool.self) else { return nil }
      let read = Query("SELECT table_name, source, last_key, rows FROM \(Self.copyTable)")
      return try session.execute(read, by: end)
    }
    guard let rows else { return nil }
    return try perform { _, _ throws(PostgreSQLError) in
      var lastKeys: [String: [UInt8]] = [:]
      var count = 0
      for row in 0..<rows.count {
        lastKeys[try rows.required(row, 0)] = try rows.value(row, 2, as: [UInt8].self)
        count += Int(try rows.required(row, 3, as: Int64.self))
      }
      return CopyState(source: try rows.required(0, 1), lastKeys: lastKeys, count: count)
    }
  }

  package func begin(from source: String) throws(StoreError) {
    let insert = Query(
      """
      INSERT INTO \(Self.copyTable)(table_name, source) SELECT name, $1 FROM unnest($2) AS t(name)
      """
    ).binding(source).binding(array: ListTable.all.map { Optional($0.name) })
    try transaction { session, end throws(PostgreSQLError) in
      try session.execute(
        script: """
          CREATE TABLE \(Self.copyTable)(
            table_name text PRIMARY KEY,
            source text NOT NULL,
            last_key bytea,
            rows bigint NOT NULL DEFAULT 0
          );
          DELETE FROM enlist.secret
          """,
        by: end
      )
      try session.execute(insert, by: end)
    }
  }

  package func store(_ part: RowPart, in table: ListTable) throws(StoreError) {
    let data = try RowParts.copyData(part, of: table)
    let name = RowParts.schema + table.name
    let update = Query(
      "UPDATE \(Self.copyTable) SET last_key = $1, rows = rows + $2 WHERE table_name = $3"
    ).binding(part.lastKey).binding(Int64(part.sum.count)).binding(table.name)
    try transaction { session, end throws(PostgreSQLError) in
      try session.copy(
        data, "COPY \(name) (\(table.columnList)) FROM STDIN (FORMAT binary)", by: end)
      try session.execute(update, by: end)
    }
  }

  package func finish(lastID: Int64) throws(StoreError) {
    let sequence = "pg_get_serial_sequence('enlist.subscribers', 'id')"
    try transaction { session, end throws(PostgreSQLError) in
      try session.execute(
        script: """
          SELECT setval(\(sequence), \(max(lastID, 1)), \(lastID > 0));
          DROP TABLE \(Self.copyTable)
          """,
        by: end
      )
    }
  }

  /// Waits until no other session of this program and no other copy uses the database.
  ///
  /// Returns `false` if one still does at the deadline.
  private func isAlone(by deadline: ContinuousClock.Instant) throws(PostgreSQLError) -> Bool {
    let query = Query(
      """
      SELECT NOT EXISTS (
        SELECT FROM pg_catalog.pg_stat_activity WHERE datname = current_database()
          AND pid <> pg_backend_pid() AND application_name = current_setting('application_name')
      ) AND pg_try_advisory_lock(hashtextextended('copy', 4))
      """
    )
    while true {
      let session = try opened.session()
      if try session.execute(query, by: deadline).required(0, 0, as: Bool.self) { return true }
      // A killed command disconnects shortly afterwards.
      guard ContinuousClock.now + .milliseconds(200) < deadline else { return false }
      _ = SocketWait.pause(until: .now + .milliseconds(100), or: nil)
    }
  }

  private func number(_ sql: String) throws(StoreError) -> Int64 {
    try perform { session, end throws(PostgreSQLError) in
      try session.execute(Query(sql), by: end).required(0, 0)
    }
  }

  private func transaction(
    _ body: (PostgreSQLSession, ContinuousClock.Instant) throws(PostgreSQLError) -> Void
  ) throws(StoreError) {
    try perform { session, end throws(PostgreSQLError) in
      try session.execute(script: "BEGIN", by: end)
      try body(session, end)
      try session.execute(script: "COMMIT", by: end)
    }
  }

  /// Uses the open session, because a new one would not be in the transaction.
  private func perform<Value>(
    _ body: (PostgreSQLSession, ContinuousClock.Instant) throws(PostgreSQLError) -> Value
  ) throws(StoreError) -> Value {
    guard let session = opened.connection.current else { throw .unreachable }
    do throws(PostgreSQLError) {
      return try body(session, .now + Self.statementTimeout)
    } catch {
      // The code says more than an undetermined outcome; the same command continues the copy.
      let end = session.endState
      // Closing the connection rolls back the transaction.
      opened.connection.close()
      throw StoreError(end.map { .server($0) } ?? error)
    }
  }
}
