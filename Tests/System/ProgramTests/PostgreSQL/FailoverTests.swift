import Glibc
import TestSupport
import Testing

@testable import PostgreSQLStorage

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
    let admin = try list.session()
    try admin.set("synchronous_standby_names", to: "*")
    try Deadline(after: .seconds(30)).wait {
      try admin.count("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == 1
    }
  }

  @Test func `a failover under load loses nothing, and the service recovers by itself`() throws {
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
    try promoted.session().execute(Query("SELECT pg_promote(true, 60)"), by: .now + .seconds(60))
    try load.waitForMore(60)
    let acknowledged = try load.end()
    for replica in replicas { try replica.waitUntilReady() }
    try promoted.expectComplete(acknowledged)
    for replica in replicas {
      #expect(try replica.signUp("after\(replica.port)@example.com").status == 202)
      // The line follows the last of three connections, and readiness the first.
      try Deadline(after: .seconds(30)).wait {
        replica.process.standardError.contains(
          /the connection to the database server at \S+ is back/)
      }
      let log = try replica.endAndReadLog()
      // The new primary has none.
      #expect(log.contains(warning))
    }
  }

  @Test func `what a standby does not confirm is undetermined, and stored once it does`() throws {
    let service = try list.replica(["--database-timeout", "2s"])
    #expect(try service.signUp("a@example.com").status == 202)
    try standby.stop()
    let undetermined = try service.signUp("b@example.com")
    #expect(undetermined.status == 503)
    #expect(undetermined.text.contains("It is not known whether it was stored"))
    // However often it is tried, each connection has at most one session that waits.
    for _ in 0..<3 {
      let rejected = try service.signUp("c@example.com")
      #expect(rejected.status == 503)
      #expect(rejected.text.contains("Nothing was stored"))
    }
    let session = try list.session()
    let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
    #expect(try (1...2).contains(session.count(waiting)))

    let consents = "SELECT count(*) FROM enlist.consents"
    #expect(try session.count(consents) == 1)
    try standby.start()
    try Deadline(after: .seconds(30)).wait { try session.count(consents) == 2 }
    try service.waitUntilReady()
    // The lock of the address is released after the row is visible.
    try Deadline.soon.wait { try service.signUp("b@example.com").status == 202 }
    #expect(try session.count(consents) == 3)
    #expect(try session.count("SELECT count(*) FROM enlist.subscribers") == 2)
  }
}
