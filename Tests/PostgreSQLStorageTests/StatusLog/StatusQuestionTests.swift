import MailingList
import Signals
import TestSupport
import Testing

@testable import PostgreSQLStorage

/// What a replica learns of the others.
@Suite(.needsPostgreSQL, .timeLimit(.minutes(15)))
struct StatusQuestionTests {
  private let database: TestDatabase
  private let replica: TestReplica

  init() throws {
    database = try TestDatabase()
    replica = try TestReplica(database)
  }

  private static func makeID(at time: Timestamp = .now) -> ExecutionID {
    var generator = SystemRandomNumberGenerator()
    return ExecutionID(at: time, using: &generator)
  }

  @Test func `an execution that another replica has stored is known`() async throws {
    let id = Self.makeID()
    try ListUnderTest.signUp(.double, id: id.bytes, try database.session())
    #expect(try await replica.log.hasStored(id).values() == [true])
  }

  @Test func `an execution that another replica is storing is waited for`() async throws {
    try replica.begin()
    let id = Self.makeID()
    let start = ContinuousClock.now
    async let isStored = replica.log.hasStored(id).values()
    Deadline(after: .milliseconds(500)).pass()
    try ListUnderTest.signUp(.double, id: id.bytes, try database.session())
    replica.log.writer.committed()
    #expect(try await isStored == [true])
    #expect(.now - start < .seconds(2))
  }

  @Test func `an execution that nobody stores is unknown after two seconds`() async throws {
    try replica.begin()
    let start = ContinuousClock.now
    #expect(try await replica.log.hasStored(Self.makeID()).values() == [false])
    #expect(.now - start >= .seconds(2))
    #expect(.now - start < .seconds(4))
  }

  @Test func `an execution of yesterday is unknown at once`() async throws {
    let id = Self.makeID(at: Timestamp.now.adding(.seconds(-90_000)))
    let start = ContinuousClock.now
    #expect(try await replica.log.hasStored(id).values() == [false])
    #expect(.now - start < .seconds(1))
  }

  @Test func `an execution is not called unknown while the server is away`() async throws {
    let log = try PostgreSQLStatusLog(
      .init(
        connection: .init(
          parameters: try ConnectionParameters(url: "postgres://u@%2Fnonexistent/list")
        ),
        deliverOn: QueueScheduler.background
      )
    )
    log.follow(history: 10) { _ in }
    let result = await log.hasStored(Self.makeID()).collected()
    #expect(result == .failure(.unreachable))
    await log.close().ended()
  }

  @Test func `a position is waited for, but not forever`() async throws {
    try replica.begin()
    let start = ContinuousClock.now
    async let reached: Void = replica.log.catchUp(to: 1).ended()
    async let missed: Void = replica.log.catchUp(to: 2).ended()
    try database.commit([1])
    replica.log.writer.committed()
    await reached
    #expect(replica.next == 2)
    #expect(.now - start < .seconds(2))
    await missed
    #expect(.now - start >= .seconds(2))
  }

  @Test func `a confirmation on another replica is noticed`() async throws {
    try replica.begin()
    let before = ListUnderTest.now
    let session = try database.session()
    try ListUnderTest.signUp(.double, session)
    let id: Int64 = try session.execute(Query("SELECT id FROM enlist.subscribers"), by: .soon)
      .required(0, 0)
    async let confirmed = replica.log.confirmation(of: id, after: before).values()
    Deadline(after: .milliseconds(200)).pass()
    let time = before.adding(.seconds(5))
    try session.execute(
      Query("UPDATE enlist.subscribers SET state = 1, confirmed_at = $1").binding(time),
      by: .soon
    )
    #expect(await confirmed == [time])
    // One that the confirmation does not follow goes on waiting.
    let other = replica.log.confirmation(of: id, after: time).subscribe(next: { _ in
      Issue.record("an earlier confirmation was sent")
    })
    Deadline(after: .milliseconds(1500)).pass()
    other.dispose()
  }
}
