import Glibc
import TestSupport
import Testing

/// Tests of tables that are incomplete, of a later release, or filled by logical replication.
@Suite(.needsPostgreSQL)
struct SchemaChangeTests {
  private let list: ReplicatedList

  init() throws {
    list = try ReplicatedList()
  }

  /// The server either completes what it was sent, or notices the lost connection before.
  @Test(arguments: [true, false])
  func `a killed migration leaves no table or all of them, and the next service starts`(
    _ isCompleted: Bool
  ) throws {
    try list.query("CREATE SCHEMA enlist")
    // Holds up the migration at one of its last tables.
    let held = try HeldLocks("CREATE TABLE enlist.webhooks()", of: list)
    let process = try Child([
      "enlist", "serve", "--listen", "127.0.0.1:0", "--database", list.url,
    ])
    let waiting = """
      FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
      """
    try eventually("a migration that waits") {
      try list.count("SELECT count(*) \(waiting)") == 1
    }
    let end = try process.wait(after: SIGKILL)
    #expect(end == .signal(SIGKILL))
    if !isCompleted { try list.query("SELECT pg_terminate_backend(pid) \(waiting)") }
    try held.release()
    try list.waitForReplicas(0)
    let left = try tables()
    let service = try list.replica()
    let all = try tables()
    #expect(all.contains("schema_migrations"))
    #expect(left == (isCompleted ? all : ""))
    try service.signUp("ana@example.com").expect(202)
  }

  /// The names of the tables, and the versions of the schema.
  private func tables() throws -> String {
    let names = try list.query(
      "SELECT tablename FROM pg_tables WHERE schemaname = 'enlist' ORDER BY tablename")
    return try names.isEmpty
      ? "" : names + list.query("SELECT * FROM enlist.schema_migrations ORDER BY version")
  }

  @Test func `a replica that meets a schema of a later release stores nothing more, and says why`()
    throws
  {
    let replica = try list.replica(["--database-timeout", "2s"])
    try list.query(
      """
      CREATE TABLE enlist.more();
      INSERT INTO enlist.schema_migrations(version, works_from)
        SELECT max(version) + 1, max(version) + 1 FROM enlist.schema_migrations
      """
    )
    let next = try list.count("SELECT max(version) FROM enlist.schema_migrations")
    // Sessions that are open go on.
    try replica.signUp("before@example.com").expect(202)

    try list.terminateSessions()
    try replica.waitUntilReady(503)
    let rejected = try replica.signUp("after@example.com").expect(503).text
    #expect(rejected.contains("Nothing was stored"), "\(rejected)")
    try eventually("the schema as the reason of /readyz") {
      try replica.get("/readyz").text.contains(#""part":"schema""#)
    }
    let consents = try list.count("SELECT count(*) FROM enlist.consents")
    #expect(consents == 1)
    try replica.process.waitForLog(
      """
      cannot be used: the database has schema version \(next), which works with programs from \
      version \(next), but this program only knows \(next - 1); use a later release
      """
    )
  }

  @Test func `new people are stored at once after a switch by logical replication`() throws {
    let first = try list.replica()
    for index in 0..<6 { try first.signUp("p\(index)@example.com").expect(202) }
    _ = try first.stop()
    let restart = "ALTER SEQUENCE enlist.subscribers_id_seq RESTART"
    try list.query(restart)
    let second = try list.replica(["--log-level", "info"])
    try second.signUp("new@example.com").expect(202)
    // The last rows arrive after the service has connected.
    try list.query(restart)
    for name in ["newer", "newest"] { try second.signUp("\(name)@example.com").expect(202) }
    let people = try list.count("SELECT count(*) FROM enlist.subscribers")
    #expect(people == 9)
    let log = try second.stop()
    #expect(!log.contains("failed"), "\(log)")
  }
}
