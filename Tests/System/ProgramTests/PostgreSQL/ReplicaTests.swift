import Glibc
import TestSupport
import Testing

@testable import PostgreSQLStorage

/// Tests of two processes on one database.
@Suite(.needsPostgreSQL)
struct ReplicaTests {
  private let list: ReplicatedList

  init() throws {
    list = try ReplicatedList()
  }

  @Test func `a stream that is cut on one replica resumes on the other`() throws {
    let (first, second) = (try list.replica(), try list.replica())
    let streams = (try first.stream(), try second.stream())
    for number in 0..<3 {
      #expect(try first.signUp("a\(number)@example.com").status == 202)
      #expect(try second.signUp("b\(number)@example.com").status == 202)
    }
    let events = try (0..<12).map { _ in try #require(try streams.0.readEvent()) }
    #expect(events.map(\.event) == (0..<6).flatMap { _ in ["started", "completed"] })
    #expect(events.map(\.position) == Array(1...12))
    for event in events { #expect(try streams.1.readEvent() == event) }

    streams.0.close()
    for (index, event) in events.enumerated() {
      let resumed = try (index % 2 == 0 ? second : first).stream(after: event.id)
      for rest in events.dropFirst(index + 1) { #expect(try resumed.readEvent() == rest) }
    }
    // Neither a gap nor a double between the events that are kept and those that follow.
    let resumed = try second.stream(after: events[6].id)
    #expect(try first.signUp("c@example.com").status == 202)
    try resumed.expectEvents(8, through: 14)
    try streams.1.expectEvents(13, through: 14)
  }

  @Test func `an execution on one replica is known to the other`() throws {
    let (first, second) = (try list.replica(), try list.replica())
    let id = try first.signUp("ana@example.com").execution()
    let status = try second.request("GET", "/executions/\(id)")
    #expect(status.status == 200)
    #expect(status.text.contains("completed"))
    let events = try second.stream("/executions/\(id)/events")
    #expect(try events.readEvent()?.event == "started")
    #expect(try events.readEvent()?.event == "completed")
    #expect(try events.readEvent() == nil)
  }

  @Test func `an address that one replica is storing is rejected by the other`() throws {
    // No statement gives up before the test does.
    let arguments = ["--database-timeout", "60s"]
    let (first, second) = (try list.replica(arguments), try list.replica(arguments))
    let held = try HeldTransactions(of: list)
    let client = try first.connect()
    try client.sendSignUp(of: "held@example.com")
    try held.waitForOne()
    let log = second.process.standardError
    for _ in 0..<2 {
      #expect(try second.signUp("held@example.com").status == 409)
    }
    // The replica that rejects is well, and does not report a failure.
    #expect(try second.request("GET", "/readyz").status == 200)
    #expect(second.process.standardError == log)
    #expect(try second.signUp("other@example.com").status == 202)
    #expect(try list.count("SELECT count(*) FROM enlist.consents") == 1)

    try held.release()
    #expect(try client.readResponse().status == 202)
    #expect(try second.signUp("held@example.com").status == 202)
    #expect(try list.count("SELECT count(*) FROM enlist.consents") == 3)
    #expect(try list.count("SELECT count(*) FROM enlist.subscribers") == 2)
  }

  @Test func `executions of an address on several replicas never overlap`() throws {
    let replicas = try (0..<4).map { _ in try list.replica() }
    let spans = try TransactionSpans(of: list)
    // Each replica stores eight of the 64 addresses at a time, and the other ones the same.
    let load = SignUpLoad(on: replicas, clients: 8) { client, post in
      "hot\((client / 4 * 8 + post) % 64)@example.com"
    }
    try load.waitForMore(600)
    // Another status code would be that of a deadlock.
    let acknowledged = try load.end(expecting: [202, 409])
    #expect(load.statuses == [202, 409])
    #expect(try list.count("SELECT count(*) FROM enlist.consents") == acknowledged.count)
    #expect(try list.count("SELECT count(*) FROM enlist.subscribers") == 64)
    #expect(try spans.count() == acknowledged.count)
    #expect(try spans.overlapCount() == 0)
  }

  @Test func `the death of a replica frees the address that it is storing`() throws {
    let (first, second) = (try list.replica(), try list.replica())
    let held = try HeldTransactions(of: list)
    let client = try first.connect()
    try client.sendSignUp(of: "held@example.com")
    try held.waitForOne()
    first.process.send(signal: SIGKILL)
    #expect(try first.process.wait() == .signal(SIGKILL))

    // The server gives up the statement after four fifths of --database-timeout.
    try held.letOthersPass()
    try held.waitForNone(by: Deadline(after: .seconds(30)))
    #expect(try second.signUp("held@example.com").status == 202)
    #expect(try list.count("SELECT count(*) FROM enlist.consents") == 1)
  }

  @Test func `a replica numbers what another one has stored before its death`() throws {
    let (first, second) = (try list.replica(), try list.replica())
    let stream = try second.stream("/status?last_event_id=earliest")
    let load = SignUpLoad(on: [first], clients: 4)
    try load.waitForMore(60)
    first.process.send(signal: SIGKILL)
    #expect(try first.process.wait() == .signal(SIGKILL))
    let acknowledged = try load.end()
    try list.waitForReplicas(1)
    try list.expectComplete(acknowledged)
    try stream.expectEvents(through: list.lastPosition())
    #expect(try second.signUp("after@example.com").status == 202)
  }

  @Test func `a replica that meets a schema of a later release stores nothing more, and says why`()
    throws
  {
    let replica = try list.replica(["--database-timeout", "2s"])
    let next = SchemaMigrator().latest + 1
    let step = Migration(version: next, worksFrom: next, sql: "CREATE TABLE more();")
    try SchemaMigrator(migrations: Migration.all + [step]).run(list.session(), by: .soon)
    // Sessions that are open go on.
    #expect(try replica.signUp("before@example.com").status == 202)

    try list.terminateSessions()
    try replica.waitUntilReady(503)
    let rejected = try replica.signUp("after@example.com")
    #expect(rejected.status == 503)
    #expect(rejected.text.contains("Nothing was stored"))
    try Deadline(after: .seconds(30)).wait {
      try replica.request("GET", "/readyz").text.contains(#""part":"schema""#)
    }
    #expect(try list.count("SELECT count(*) FROM enlist.consents") == 1)
    let rejection = ServerRejection.schemaNewer(found: next, worksFrom: next, known: next - 1)
    try Deadline(after: .seconds(30)).wait {
      replica.process.standardError.contains("cannot be used: \(rejection)")
    }
  }
}
