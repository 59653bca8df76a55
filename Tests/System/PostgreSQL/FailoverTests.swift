import Glibc
import TestSupport
import Testing

/// Tests with a primary and a standby, without whose copy nothing is acknowledged.
@Suite(.needsPostgreSQL, .serialized)
struct FailoverTests {
  private let primary: PostgreSQLServer
  private let standby: PostgreSQLServer
  private let list: ReplicatedList

  init() throws {
    primary = try PostgreSQLServer(listens: true)
    list = try ReplicatedList(on: primary)
    standby = try PostgreSQLServer(standbyOf: primary, listens: true)
    try primary.set("synchronous_standby_names", to: "*")
    let synchronous = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
    try eventually("a synchronous standby") { try query(synchronous) == "1" }
  }

  @Test func `a failover under load loses nothing, and the service recovers by itself`() throws {
    let hosts = [primary, standby].map { "127.0.0.1:\($0.port)" }.joined(separator: ",")
    let url =
      "postgres://\(PostgreSQLServer.role)@\(hosts)/\(list.name)?target_session_attrs=read-write"
    let replicas = try (0..<2).map { _ in try Enlist(["--database", url]) }
    let load = SignUpLoad(on: replicas)
    try load.waitForMore(60)
    let warning = "no synchronous standby"
    for replica in replicas {
      let log = replica.process.errors
      #expect(!log.contains(warning), "\(log)")
    }
    try primary.stop(SIGKILL)
    let promoted = ReplicatedList(list, on: standby)
    let promotion = try standby.query("SELECT pg_promote(true, 60)", promoted.url)
    try #require(promotion == "t")
    try load.waitForMore(60)
    let acknowledged = try load.end()
    for replica in replicas { try replica.waitUntilReady() }
    try promoted.expectComplete(acknowledged)
    for replica in replicas {
      try replica.signUp("after\(replica.port)@example.com").expect(202)
      // The line follows the last of three connections, and readiness the first.
      try eventually("the line after \(replica.process.errors)") {
        replica.process.errors.contains(/the connection to the database server at \S+ is back/)
      }
      let log = try replica.stop()
      // The new primary has none.
      #expect(log.contains(warning), "\(log)")
    }
  }

  @Test func `what a standby does not confirm is undetermined, and stored once it does`() throws {
    let service = try list.replica(["--database-timeout", "2s"])
    try service.signUp("a@example.com").expect(202)
    try standby.stop()
    let undetermined = try service.signUp("b@example.com").expect(503).text
    #expect(undetermined.contains("It is not known whether it was stored"), "\(undetermined)")
    // However often it is tried, each connection has at most one session that waits.
    for _ in 0..<3 {
      let rejected = try service.signUp("c@example.com").expect(503).text
      #expect(rejected.contains("Nothing was stored"), "\(rejected)")
    }
    let waiting = try query("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
    #expect(["1", "2"].contains(waiting), "\(waiting)")

    let consents = "SELECT count(*) FROM enlist.consents"
    let stored = try query(consents)
    #expect(stored == "1")
    try standby.start()
    try eventually("the consent of b@example.com") { try query(consents) == "2" }
    try service.waitUntilReady()
    // The lock of the address is released after the row is visible.
    try eventually("a sign-up of b@example.com") {
      try service.signUp("b@example.com").status == 202
    }
    let counts = try query(
      "SELECT (\(consents)), (SELECT count(*) FROM enlist.subscribers)")
    #expect(counts == "3|2")
  }

  /// Executes a statement on the primary server.
  private func query(_ sql: String) throws -> String { try primary.query(sql, list.url) }
}
