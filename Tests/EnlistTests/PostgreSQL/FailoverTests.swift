import Glibc
import TestSupport
import Testing

@testable import PostgreSQLStorage

/// Tests of a failover from a primary to its standby.
@Suite(.needsPostgreSQL, .timeLimit(.minutes(15)))
struct FailoverTests {
  @Test func `a failover to a synchronous standby under load loses nothing`() throws {
    let primary = try PostgreSQLServer(listens: true)
    let list = try ReplicatedList(on: primary)
    let standby = try PostgreSQLServer(standbyOf: primary, listens: true)
    let admin = try list.session()
    try admin.set("synchronous_standby_names", to: "*")
    try Deadline(after: .seconds(30)).wait {
      try admin.count("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == 1
    }

    let hosts = [primary, standby].map { "127.0.0.1:\($0.port)" }.joined(separator: ",")
    let url =
      "postgres://\(PostgreSQLServer.role)@\(hosts)/\(list.name)?target_session_attrs=read-write"
    let replicas = try (0..<2).map { _ in try RunningService(["--database", url]) }
    let load = SignUpLoad(on: replicas)
    try load.waitForMore(60)
    let warning = "no synchronous standby"
    for replica in replicas { #expect(!replica.process.standardError.contains(warning)) }
    try primary.stop(SIGKILL)
    let promoted = ReplicatedList(list, on: standby)
    try promoted.session().execute(
      Query("SELECT pg_promote(true, 60)"),
      by: .now + .seconds(60)
    )
    try load.waitForMore(60)
    let acknowledged = try load.end()
    for replica in replicas { try replica.waitUntilReady() }
    let last = try promoted.expectComplete(acknowledged)
    for replica in replicas {
      // The service recovered by itself, so the process is the same.
      #expect(try replica.signUp("after\(replica.port)@example.com").status == 202)
      let log = try replica.endAndReadLog()
      #expect(log.contains("the connection of the writer to the database server is back"))
      #expect(log.contains(warning))
    }
    #expect(last >= 2 * acknowledged.count)
  }
}
