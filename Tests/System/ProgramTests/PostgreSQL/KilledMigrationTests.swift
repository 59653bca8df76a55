import Glibc
import TestSupport
import Testing

@testable import PostgreSQLStorage

/// Tests in which the process is killed while the server creates its tables.
@Suite(.needsPostgreSQL) struct KilledMigrationTests {
  /// The server either completes what it was sent, or notices the lost connection before.
  @Test(arguments: [true, false])
  func `a killed migration leaves no table or all of them, and the next service starts`(
    _ isCompleted: Bool
  ) throws {
    let list = try ReplicatedList()
    var other: PostgreSQLSession? = try list.session()
    try other?.execute(Query("CREATE SCHEMA enlist"), by: .soon)
    // Holds up the migration at one of its last tables.
    try other?.execute(script: "BEGIN; CREATE TABLE enlist.webhooks()", by: .soon)
    let process = try ChildProcess(
      "enlist", ["serve", "--listen", "127.0.0.1:0", "--database", list.url])
    let waiting = """
      FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
      """
    try Deadline.soon.wait { try list.count("SELECT count(*) \(waiting)") == 1 }
    process.send(signal: SIGKILL)
    #expect(try process.wait() == .signal(SIGKILL))
    if !isCompleted { _ = try list.count("SELECT count(pg_terminate_backend(pid)) \(waiting)") }
    other = nil
    try list.waitForReplicas(0)
    #expect(
      try list.session().schemaVersion(by: .soon)
        == (isCompleted ? .version(SchemaMigrator().latest, worksFrom: 1) : .none)
    )
    #expect(try list.replica().signUp("ana@example.com").status == 202)
  }
}
