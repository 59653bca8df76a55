import Glibc
import TestSupport
import Testing

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
      try first.signUp("a\(number)@example.com").expect(202)
      try second.signUp("b\(number)@example.com").expect(202)
    }
    let events = try readEvents(12, from: streams.0)
    #expect(events.map(\.event) == (0..<6).flatMap { _ in ["started", "completed"] })
    #expect(events.map(\.position) == Array(1...12))
    let others = try readEvents(12, from: streams.1)
    #expect(others == events)

    streams.0.close()
    for (index, event) in events.enumerated() {
      let resumed = try (index % 2 == 0 ? second : first).stream(after: event.id)
      let rest = try readEvents(11 - index, from: resumed)
      #expect(rest == Array(events.dropFirst(index + 1)))
    }
    // Neither a gap nor a double between the events that are kept and those that follow.
    let resumed = try second.stream(after: events[6].id)
    try first.signUp("c@example.com").expect(202)
    try resumed.expectEvents(8, through: 14)
    try streams.1.expectEvents(13, through: 14)
  }

  private func readEvents(_ count: Int, from stream: Client) throws -> [Client.Event] {
    try (0..<count).map { _ in try #require(try stream.readEvent()) }
  }

  @Test func `an execution on one replica is known to the other`() throws {
    let (first, second) = (try list.replica(), try list.replica())
    let id = try first.signUp("ana@example.com").expect(202).execution
    let status = try second.get("/executions/\(id)").expect(200)
    #expect(status.text.contains("completed"), "\(status)")
    let events = try second.stream("/executions/\(id)/events")
    let seen = try [events.readEvent()?.event, events.readEvent()?.event]
    #expect(seen == ["started", "completed"])
    let end = try events.readEvent()
    #expect(end == nil)
  }

  @Test func `an address that one replica is storing is rejected by the other`() throws {
    // No statement gives up before the test does.
    let flags = ["--database-timeout", "60s", "--log-level", "info"]
    let (first, second) = (try list.replica(flags), try list.replica(flags))
    let held = try HeldTransactions(of: list)
    let client = try first.connect()
    try client.sendSignUp(of: "held@example.com")
    try held.waitForOne()
    let log = second.process.errors
    for _ in 0..<2 { try second.signUp("held@example.com").expect(409) }
    // The replica that rejects is well, and does not report a failure.
    try second.get("/readyz").expect(200)
    #expect(second.process.errors == log)
    try second.signUp("other@example.com").expect(202)
    try expectRows(consents: 1, subscribers: 1)

    try held.release()
    try client.readResponse().expect(202)
    try second.signUp("held@example.com").expect(202)
    try expectRows(consents: 3, subscribers: 2)
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
    try expectRows(consents: acknowledged.count, subscribers: 64)
    let (count, overlaps) = (try spans.count(), try spans.overlapCount())
    #expect(count == acknowledged.count)
    #expect(overlaps == 0)
  }

  @Test func `the death of a replica frees the address that it is storing`() throws {
    let (first, second) = (try list.replica(), try list.replica())
    let held = try HeldTransactions(of: list)
    let client = try first.connect()
    try client.sendSignUp(of: "held@example.com")
    try held.waitForOne()
    try first.process.wait(after: SIGKILL)

    // The server gives up the statement after four fifths of --database-timeout.
    try held.letOthersPass()
    try held.waitForNone()
    try second.signUp("held@example.com").expect(202)
    try expectRows(consents: 1, subscribers: 1)
  }

  @Test func `a replica numbers what another one has stored before its death`() throws {
    let (first, second) = (try list.replica(), try list.replica())
    let stream = try second.stream("/status?last_event_id=earliest")
    let load = SignUpLoad(on: [first], clients: 4)
    try load.waitForMore(60)
    try first.process.wait(after: SIGKILL)
    let acknowledged = try load.end()
    try list.waitForReplicas(1)
    try list.expectComplete(acknowledged)
    try stream.expectEvents(through: list.lastPosition())
    try second.signUp("after@example.com").expect(202)
  }

  private func expectRows(
    consents: Int, subscribers: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let counts = try list.query(
      "SELECT (SELECT count(*) FROM enlist.consents), (SELECT count(*) FROM enlist.subscribers)")
    #expect(counts == "\(consents)|\(subscribers)", sourceLocation: sourceLocation)
  }
}

/// When each transaction that stores an address has begun to, and when it ended, by triggers.
private struct TransactionSpans {
  private let list: ReplicatedList

  /// Begins to record in a list whose schema a replica has made, and slows each sign-up down, so
  /// that others come meanwhile.
  init(of list: ReplicatedList) throws {
    self.list = list
    try list.query(
      """
      CREATE TABLE public.spans(
        key text, transaction bigint, at timestamptz DEFAULT clock_timestamp());
      CREATE FUNCTION public.begin_span() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO public.spans VALUES (NEW.address_key, txid_current());
        PERFORM pg_sleep(0.002); RETURN NEW; END $$;
      CREATE FUNCTION public.end_span() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO public.spans
          SELECT address_key, txid_current() FROM enlist.subscribers
          WHERE id = NEW.subscriber_id;
        RETURN NULL; END $$;
      CREATE TRIGGER begin_span BEFORE INSERT ON enlist.subscribers
        FOR EACH ROW EXECUTE FUNCTION public.begin_span();
      CREATE CONSTRAINT TRIGGER end_span AFTER INSERT ON enlist.consents
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.end_span();
      """
    )
  }

  /// Counts the spans: one for each address of a transaction.
  func count() throws -> Int { try list.count("\(Self.spans) SELECT count(*) FROM spans") }

  /// Counts the pairs of transactions that stored the same address at the same time.
  func overlapCount() throws -> Int {
    try list.count(
      """
      \(Self.spans) SELECT count(*) FROM spans a JOIN spans b
        ON a.key = b.key AND a.transaction < b.transaction
        AND a.beginning < b.ending AND b.beginning < a.ending
      """
    )
  }

  /// The spans of transactions that were committed: from the gate to the commit.
  private static let spans = """
    WITH spans AS (
      SELECT key, transaction, min(at) AS beginning, max(at) AS ending FROM public.spans
      GROUP BY key, transaction HAVING count(*) = 2
    )
    """
}
