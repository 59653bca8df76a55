import TestSupport
import Testing

@testable import PostgreSQLStorage

/// A database whose rows were copied by logical replication, which copies no sequences.
@Suite(.needsPostgreSQL) struct ReplicatedRowsTests {
  /// Creates such a database.
  private func database() throws -> (TestDatabase, PostgreSQLSession) {
    let database = try TestDatabase()
    let session = try database.session()
    try session.execute(
      script: """
        INSERT INTO enlist.subscribers(id, address, address_key, state, created_at, updated_at, requested_at)
          SELECT i, i || '@example.com', i || '@example.com', 1, now(), now(), now()
          FROM generate_series(1, 50) AS i;
        INSERT INTO enlist.status_pending(n, payloads) OVERRIDING SYSTEM VALUE VALUES (7, '{}')
        """,
      by: .soon
    )
    return (database, session)
  }

  /// Takes the next numbers.
  private func numbers(_ session: PostgreSQLSession) throws -> [Int64] {
    let row = try session.execute(
      Query("SELECT nextval('enlist.subscribers_id_seq'), nextval('enlist.status_pending_n_seq')"),
      by: .soon)
    return [try row.required(0, 0), try row.required(0, 1)]
  }

  @Test func `a new connection continues the numbers after the largest`() throws {
    let (database, session) = try database()
    let connection = PostgreSQLConnection(.init(parameters: database.parameters))
    _ = try connection.ready(by: .soon)
    #expect(try numbers(session) == [51, 8])
    #expect(try session.continueNumbers(by: .soon) == false)
    #expect(try numbers(session) == [52, 9])
  }

  @Test func `a command that only reads leaves the numbers`() throws {
    let (database, session) = try database()
    var configuration = PostgreSQLConnection.Configuration(parameters: database.parameters)
    configuration.mayRead = true
    _ = try PostgreSQLConnection(configuration).ready(by: .soon)
    #expect(try numbers(session) == [1, 1])
  }

  @Test func `a role that may not set the sequences is told what it needs`() throws {
    let (_, session) = try database()
    let role = "reader_\(UInt64.random(in: 0...UInt64.max))"
    try session.execute(
      script: """
        CREATE ROLE \(role);
        GRANT USAGE ON SCHEMA enlist TO \(role);
        GRANT ALL ON ALL TABLES IN SCHEMA enlist TO \(role);
        GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA enlist TO \(role);
        SET ROLE \(role)
        """,
      by: .soon
    )
    let state = try #require(SQLState.insufficientPrivilege)
    #expect(throws: PostgreSQLError.server(state)) { try session.continueNumbers(by: .soon) }
    try session.execute(
      script: "ROLLBACK; RESET ROLE; DROP OWNED BY \(role); DROP ROLE \(role)", by: .soon)
    #expect(ServerRejection.sequencesBehind.description.contains("GRANT UPDATE ON ALL SEQUENCES"))
  }

  @Test func `a role that may not read the sequences is not told that they are behind`() throws {
    let session = try TestDatabase().session()
    let role = "reader_\(UInt64.random(in: 0...UInt64.max))"
    try session.execute(
      script: """
        CREATE ROLE \(role);
        GRANT USAGE ON SCHEMA enlist TO \(role);
        GRANT SELECT ON ALL TABLES IN SCHEMA enlist TO \(role);
        SET ROLE \(role)
        """,
      by: .soon
    )
    #expect(try session.continueNumbers(by: .soon) == false)
    try session.execute(script: "RESET ROLE; DROP OWNED BY \(role); DROP ROLE \(role)", by: .soon)
  }
}
