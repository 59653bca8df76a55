import MailingList
import Platform
import Signals
import TestSupport
import Testing

@testable import PostgreSQLStorage

/// Followers of one log, as on several replicas.
@Suite(.needsPostgreSQL)
struct StatusFollowerTests {
  private let database: TestDatabase

  init() throws {
    database = try TestDatabase()
  }

  @Test func `two followers see the same order without gaps`() async throws {
    let database = database
    let replicas = [TestReplica(database), TestReplica(database)]
    for replica in replicas { try replica.begin() }
    try await withThrowingTaskGroup { group in
      for part in 0..<4 {
        group.addTask {
          try database.commit((part * 50..<part * 50 + 50).map { Int64($0) })
          replicas[part % 2].log.committed()
        }
      }
      try await group.waitForAll()
    }
    for replica in replicas { try replica.wait(for: 201) }
    #expect(replicas[0].messages == replicas[1].messages)
    #expect(replicas[0].messages.keys.sorted() == Array(1...200))
    #expect(replicas[0].values.sorted() == Array(0..<200))
    #expect(replicas[0].epoch == replicas[1].epoch)
    #expect(replicas.allSatisfy { $0.reasons == [nil] })
    // What one session committed before, has the lower position.
    for part in 0..<4 {
      let own = replicas[0].values.filter { $0 / 50 == part }
      #expect(own == own.sorted())
    }
  }

  @Test func `a message of one replica wakes the other, which needs not poll`() throws {
    let (first, second) = (TestReplica(database), TestReplica(database))
    let deaf = TestReplica(database, listens: false)
    for replica in [first, second, deaf] { try replica.begin() }
    let session = try database.session()
    var polledCount = 0
    for number in 1...11 as ClosedRange<UInt64> {
      try session.execute(
        script: "INSERT INTO enlist.status_pending(payloads) VALUES ('{\(number)}')", by: .soon)
      first.log.committed()
      try second.wait(for: number + 1)
      if deaf.next > number { polledCount += 1 }
      try deaf.wait(for: number + 1)
    }
    // The one that polls once a second is the first only by chance.
    #expect(polledCount < 6)
  }

  @Test func `positions mean the same on another replica and after a restart`() async throws {
    let (first, second) = (TestReplica(database), TestReplica(database))
    try database.commit(1...20)
    try first.wait(for: 21)
    let seen = first.messages
    await first.log.close().ended()
    second.log.add([StatusPayload(rawValue: 21), StatusPayload(rawValue: 22)])
    try second.wait(for: 23)
    #expect(seen.allSatisfy { second.messages[$0.key] == $0.value })
    #expect(first.next == 21)
    let restarted = TestReplica(database, history: 5)
    try restarted.wait(for: 23)
    #expect(restarted.epoch == second.epoch)
    // The row with two messages is at the end.
    #expect(restarted.messages.keys.sorted() == Array(18...22))
    #expect(restarted.messages.allSatisfy { second.messages[$0.key] == $0.value })
  }

  @Test func `a follower whose connection is cut misses nothing`() throws {
    let replica = TestReplica(database)
    try replica.begin()
    for number in 0..<5 as Range<Int64> {
      try database.commit(number * 10..<number * 10 + 10)
      replica.log.committed()
      try database.terminateSessions()
    }
    try replica.wait(for: 51)
    #expect(replica.values == Array(0..<50))
    #expect(replica.reasons == [nil])
    try eventually { replica.reports.last == .back(server: database.parameters.servers) }
  }

  @Test func `commits go on while numbering is locked out`() throws {
    let replica = TestReplica(database)
    try replica.begin()
    let locking = try database.session()
    try locking.execute(
      script: """
        BEGIN; SELECT FROM enlist.status_numbering FOR UPDATE;
        """,
      by: .soon
    )
    try database.commit(1...10)
    replica.log.committed()
    pause(.seconds(2))
    #expect(replica.next == 1)
    try locking.execute(Query("COMMIT"), by: .soon)
    try replica.wait(for: 11, within: .seconds(2))
    #expect(replica.values == Array(1...10))
    #expect(replica.reasons == [nil])
  }

  @Test func `malformed rows are skipped, counted and reported`() throws {
    let replica = TestReplica(database)
    try replica.begin()
    try database.session().execute(
      script: """
        INSERT INTO enlist.status_pending(payloads)
        VALUES ('{1}'), ('{}'), ('{NULL}'), ('{2,NULL}'), ('{{3,4}}'), ('{-1}'), ('[5:6]={7,8}')
        """,
      by: .soon
    )
    replica.log.committed()
    try replica.wait(for: 4, within: .seconds(10))
    #expect(replica.values == [1, 7, 8])
    #expect(replica.reasons == [nil])
    #expect(replica.lines == [.malformed(count: 5)])
  }

  @Test func `rows that nobody numbers are reported after ten seconds, once`() {
    var stall = NumberingStall()
    let start = ContinuousClock.now
    let reported = (0...30).filter { stall.hasFailed(at: start + .seconds($0)) }
    #expect(reported == [10])
    let wasReported = [stall.reset(), stall.reset()]
    #expect(wasReported == [true, false])
  }

  @Test func `rows that nobody numbers are reported until they are numbered`() throws {
    let replica = TestReplica(database)
    try replica.begin()
    let locking = try database.session()
    try locking.execute(
      script: """
        SET idle_in_transaction_session_timeout = 0;
        BEGIN; SELECT FROM enlist.status_numbering FOR UPDATE
        """,
      by: .soon
    )
    try database.commit([1])
    replica.log.committed()
    try eventually(within: .seconds(60)) { replica.lines.contains(.stalled) }
    try locking.execute(Query("COMMIT"), by: .soon)
    try replica.wait(for: 2)
    try eventually { replica.lines.contains(.continued) }
  }

  /// Inserts rows, and makes a follower that takes them for certainly numbered.
  private func follower(
    pending count: Int, metrics: FollowerMetrics = FollowerMetrics()
  ) throws -> (StatusFollower, PostgreSQLSession) {
    let session = try database.session()
    try session.execute(
      script: """
        INSERT INTO enlist.status_pending(payloads)
          SELECT ARRAY[i] FROM generate_series(1, \(count)) AS i
        """,
      by: .soon
    )
    let follower = StatusFollower(
      connection: PostgreSQLConnection(.init(parameters: database.parameters)),
      parameters: database.parameters, inbox: FollowerInbox(),
      configuration: StatusFollower.Configuration(
        history: 1, receive: { _ in }, deliverOn: ImmediateScheduler(), metrics: metrics))
    follower.horizon.add(Int64(count), at: .now - PendingHorizon.age)
    return (follower, session)
  }

  private func countPending(_ session: PostgreSQLSession) throws -> Int64 {
    try session.execute(Query("SELECT count(*) FROM enlist.status_pending"), by: .soon)
      .required(0, 0)
  }

  @Test func `more rows than one statement numbers are numbered, however old the others are`()
    throws
  {
    let (follower, session) = try follower(pending: FollowerStatements.numberLimit * 5 / 2)
    for _ in 0..<3 { try follower.round(session, numbers: true) }
    #expect(try countPending(session) == 0)
  }

  @Test func `rows that waited for another session are numbered as soon as it ends`() throws {
    let (follower, session) = try follower(pending: 3)
    let locking = try database.session()
    try locking.execute(script: "BEGIN; SELECT FROM enlist.status_numbering FOR UPDATE", by: .soon)
    // As if the other session had held the lock for a while.
    _ = follower.stall.hasFailed(at: .now - PendingHorizon.age)
    try follower.round(session, numbers: true)
    #expect(try countPending(session) == 3)
    try locking.execute(Query("COMMIT"), by: .soon)
    try follower.round(session, numbers: true)
    #expect(try countPending(session) == 0)
  }

  @Test func `the metrics show malformed rows, and rows that nobody numbers`() throws {
    let registry = MetricRegistry([])
    let (follower, session) = try follower(pending: 3, metrics: FollowerMetrics(registry))
    let locking = try database.session()
    try locking.execute(
      script: """
        INSERT INTO enlist.status_pending(payloads) VALUES ('{}');
        BEGIN; SELECT FROM enlist.status_numbering FOR UPDATE
        """,
      by: .soon
    )
    // As if the other session had held the lock for a while.
    _ = follower.stall.hasFailed(at: .now - NumberingStall.limit)
    for (stalled, malformed) in [(1, 0), (0, 1)] {
      try follower.round(session, numbers: true)
      let lines = String(decoding: registry.text(), as: UTF8.self).split(separator: "\n")
      #expect(lines.contains("enlist_status_stalled \(stalled)"))
      #expect(lines.contains("enlist_status_malformed_total \(malformed)"))
      if stalled == 1 { try locking.execute(Query("COMMIT"), by: .soon) }
    }
  }

  @Test func `an open transaction elsewhere holds nothing up`() throws {
    let replica = TestReplica(database)
    try replica.begin()
    let open = try database.session()
    try open.execute(
      script: """
        BEGIN ISOLATION LEVEL REPEATABLE READ; CREATE TABLE other(x int);
        INSERT INTO enlist.status_pending(payloads) VALUES ('{100}')
        """,
      by: .soon
    )
    for number in 1...5 as ClosedRange<Int64> {
      try database.commit([number])
      replica.log.committed()
      try replica.wait(for: UInt64(number + 1), within: .seconds(2))
    }
    #expect(replica.values == Array(1...5))
    // A batch whose transaction took longer is numbered after it.
    try open.execute(Query("COMMIT"), by: .soon)
    try replica.wait(for: 7)
    #expect(replica.values == [1, 2, 3, 4, 5, 100])
  }

  @Test func `messages of a replica that died are numbered within a second`() throws {
    let replica = TestReplica(database)
    try replica.begin()
    try database.commit([1])
    try replica.wait(for: 2, within: .milliseconds(1500))
  }

  @Test func `a log that has changed behind a follower begins a new epoch`() throws {
    let replicas = [TestReplica(database), TestReplica(database)]
    try database.commit(1...3)
    for replica in replicas { try replica.wait(for: 4) }
    let epoch = try #require(replicas[0].epoch)
    try database.session().execute(
      script: "UPDATE enlist.status_log SET payloads = '{99}' WHERE last = 3", by: .soon)
    try database.terminateSessions()
    for replica in replicas {
      try eventually { replica.reasons == [nil, .epoch] }
      #expect(replica.next == 4)
    }
    let next = try #require(replicas[0].epoch)
    #expect(next != epoch)
    #expect(next.utf8.count == 8)
    #expect(replicas[1].epoch == next)
    try database.commit([4])
    for replica in replicas {
      try replica.wait(for: 5)
      #expect(replica.messages == [4: StatusPayload(rawValue: 4)])
    }
    let epochs = try database.session().execute(
      Query("SELECT count(*) FROM enlist.log_epoch"), by: .soon)
    #expect(try epochs.required(0, 0, as: Int64.self) == 2)
  }

  @Test func `a log that was restored to an earlier state begins a new epoch`() throws {
    let replica = TestReplica(database)
    try database.commit(1...5)
    try replica.wait(for: 6)
    try database.session().execute(
      script: "DELETE FROM enlist.status_log WHERE last > 2", by: .soon)
    try database.terminateSessions()
    try eventually { replica.reasons == [nil, .epoch] }
    #expect(replica.next == 3)
  }

  @Test func `an event that a failover has lost begins a new epoch`() throws {
    let replica = TestReplica(database)
    let event = "(now(), 1, 1, 0, NULL, NULL, NULL)::enlist.event"
    try database.session().execute(
      script: """
        INSERT INTO enlist.status_pending(payloads, events) VALUES ('{1}', ARRAY[\(event)])
        """,
      by: .soon
    )
    try replica.wait(for: 2)
    // The status log is as it was, and another event has the position, before the follower reads.
    try database.session().execute(
      script: """
        BEGIN; LOCK TABLE enlist.events; SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid();
        UPDATE enlist.events SET at = at + interval '1 second'; COMMIT
        """,
      by: .soon
    )
    try eventually { replica.reasons == [nil, .epoch] }
    try database.terminateSessions()
    try database.commit([2])
    try replica.wait(for: 3)
    #expect(replica.reasons == [nil, .epoch])
  }

  @Test func `a log that now begins later continues in its epoch`() async throws {
    let replica = TestReplica(database)
    try database.commit(1...3)
    try replica.wait(for: 4)
    let epoch = replica.epoch
    // In one transaction, so that the follower does not see it before its session ends.
    try database.session().execute(
      script: """
        BEGIN; SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid();
        DELETE FROM enlist.status_log;
        INSERT INTO enlist.status_log VALUES (10, '{9, 10}'), (12, '{11, 12}'); COMMIT
        """,
      by: .soon
    )
    try replica.wait(for: 13)
    #expect(replica.epoch == epoch)
    #expect(replica.reasons.last == .expired)
    #expect(replica.values == [9, 10, 11, 12])
    #expect(replica.messages.keys.sorted() == Array(9...12))
  }

  @Test func `a follower that hears nothing polls`() throws {
    let (deaf, other) = (TestReplica(database, listens: false), TestReplica(database))
    try deaf.begin()
    try other.begin()
    try eventually { deaf.isUnheard }
    for number in 1...3 as ClosedRange<Int64> {
      try database.commit([number])
      other.log.committed()
      try deaf.wait(for: UInt64(number + 1), within: .seconds(1))
    }
    #expect(deaf.values == [1, 2, 3])
    pause(.milliseconds(1200))
    #expect(!other.isUnheard)
  }

  @Test func `a follower whose rounds hang opens another session and misses nothing`() throws {
    let replica = TestReplica(database)
    try database.commit(1...3)
    try replica.wait(for: 4)
    let locking = try database.session()
    try locking.execute(
      script: "BEGIN; LOCK TABLE enlist.status_log IN ACCESS EXCLUSIVE MODE", by: .soon)
    try database.commit(4...6)
    replica.log.committed()
    let lost = ConnectionReport.lost(
      server: database.parameters.servers, reason: "no result in time, or the connection broke")
    try eventually { replica.reports.contains(lost) }
    try database.commit(7...9)
    try locking.execute(Query("COMMIT"), by: .soon)
    try replica.wait(for: 10)
    #expect(replica.values == Array(1...9))
    #expect(replica.reasons == [nil])
  }

  @Test func `a long log is read in parts`() throws {
    try database.session().execute(
      script: """
        INSERT INTO enlist.status_log(last, payloads)
        SELECT n * 2, ARRAY[n * 2 - 1, n * 2] FROM generate_series(1, 2500) AS n
        """,
      by: .soon
    )
    let replica = TestReplica(database, history: 4501)
    try replica.wait(for: 5001)
    #expect(replica.values == Array(499...5000))
    #expect(replica.messages[499]?.rawValue == 499)
    #expect(replica.reasons == [nil])
  }

  @Test func `old rows are deleted, but never the newest`() throws {
    let replica = TestReplica(database, history: 2, retentionInterval: .milliseconds(100))
    try replica.begin()
    try database.commit(1...20)
    try replica.wait(for: 21)
    let session = try database.session()
    try eventually {
      let rows = try session.execute(
        Query("SELECT min(last), max(last) FROM enlist.status_log"), by: .soon)
      return try rows.value(0, 0) == Int64(17) && rows.value(0, 1) == Int64(20)
    }
  }

  @Test func `messages of failed executions are numbered once`() throws {
    let replica = TestReplica(database)
    try replica.begin()
    replica.log.add([StatusPayload(rawValue: 4), StatusPayload(rawValue: 6)])
    try replica.wait(for: 3)
    try database.terminateSessions()
    replica.log.add([StatusPayload(rawValue: 8), StatusPayload(rawValue: 10)])
    try database.commit([1])
    try eventually { replica.values.contains(1) }
    #expect(replica.values.filter { $0 < 8 && $0 != 1 } == [4, 6])
    // They may be lost with the connection, but are never there twice.
    #expect([[], [8, 10]].contains(replica.values.filter { $0 >= 8 }))
  }
}
