import Signals
import MailingList
import TestSupport
import Testing

@testable import PostgreSQLStorage

/// What a replica learns of the others.
@Suite(.needsPostgreSQL)
struct StatusQuestionTests {
  private let database: TestDatabase
  private let replica: TestReplica

  init() throws {
    database = try TestDatabase()
    replica = TestReplica(database)
  }

  /// What a signal has sent, and when it ended.
  private final class Outcome<Value: Sendable & Equatable>: Sendable {
    private struct State {
      var values: [Value] = []
      var end: ContinuousClock.Instant?
      var error: StoreError?
    }

    private let start = ContinuousClock.now
    private let state = Lock(State())

    /// Subscribes to a signal.
    init(_ signal: Signal<Value, StoreError>) {
      signal.subscribe(
        next: { value in self.state.withLock { $0.values.append(value) } },
        failed: { error in
          self.state.withLock { state in
            state.error = error
            state.end = .now
          }
        },
        completed: { self.state.withLock { $0.end = .now } }
      )
    }

    var values: [Value] { state.withLock { $0.values } }
    var error: StoreError? { state.withLock { $0.error } }

    /// Waits for the end.
    ///
    /// - Returns: The time from the subscription to the end.
    func time() throws -> Duration {
      try eventually { state.withLock { $0.end } } - start
    }
  }

  private static func makeID(at time: Timestamp = .now) -> ExecutionID {
    var generator = RandomNumbers()
    return ExecutionID(at: time, using: &generator)
  }

  @Test func `an execution that another replica has stored is known`() throws {
    let id = Self.makeID()
    try ListUnderTest.signUp(.double, id: id.bytes, try database.session())
    let outcome = Outcome(replica.log.hasStored(id))
    _ = try outcome.time()
    #expect(outcome.values == [true])
  }

  @Test func `an execution that another replica is storing is waited for`() throws {
    try replica.begin()
    let id = Self.makeID()
    let session = try database.session()
    let outcome = Outcome(replica.log.hasStored(id))
    pause(.milliseconds(500))
    #expect(outcome.values.isEmpty)
    try ListUnderTest.signUp(.double, id: id.bytes, session)
    replica.log.committed()
    #expect(try outcome.time() < .seconds(2))
    #expect(outcome.values == [true])
  }

  @Test func `an execution that nobody stores is unknown after two seconds`() throws {
    try replica.begin()
    let outcome = Outcome(replica.log.hasStored(Self.makeID()))
    let time = try outcome.time()
    #expect(time >= .seconds(2))
    #expect(time < .seconds(4))
    #expect(outcome.values == [false])
  }

  @Test func `an execution of yesterday is unknown at once`() throws {
    let id = Self.makeID(at: Timestamp.now.adding(.seconds(-90_000)))
    let outcome = Outcome(replica.log.hasStored(id))
    #expect(outcome.values == [false])
  }

  @Test func `an execution is not called unknown while the server is away`() async throws {
    let parameters = try ConnectionParameters(url: "postgres://u@%2Fnonexistent/list")
    let log = PostgreSQLStatusLog(
      PostgreSQLConnection(.init(parameters: parameters)),
      PostgreSQLStatusLog.Configuration(
        parameters: parameters, deliverOn: QueueScheduler.background))
    log.follow(history: 10) { _ in }
    let outcome = Outcome(log.hasStored(Self.makeID()))
    _ = try outcome.time()
    #expect(outcome.error == .unreachable)
    await log.close().ended()
  }

  @Test func `a position is waited for, but not forever`() throws {
    try replica.begin()
    let reached = Outcome(replica.log.catchUp(to: 1).promoteError(to: StoreError.self))
    let missed = Outcome(replica.log.catchUp(to: 2).promoteError(to: StoreError.self))
    try database.commit([1])
    replica.log.committed()
    #expect(try reached.time() < .seconds(2))
    #expect(replica.next == 2)
    #expect(try missed.time() >= .seconds(2))
  }

  @Test func `a confirmation on another replica is noticed`() throws {
    try replica.begin()
    let before = ListUnderTest.now
    let session = try database.session()
    try ListUnderTest.signUp(.double, session)
    let id: Int64 = try session.execute(Query("SELECT id FROM enlist.subscribers"), by: .soon)
      .required(0, 0)
    let time = before.adding(.seconds(5))
    let confirmed = Outcome(
      replica.log.confirmation(of: id, after: before).promoteError(to: StoreError.self))
    // One that the confirmation does not follow goes on waiting.
    let waiting = replica.log.confirmation(of: id, after: time).subscribe(next: { _ in
      Issue.record("an earlier confirmation was sent")
    })
    try session.execute(
      Query("UPDATE enlist.subscribers SET state = 1, confirmed_at = $1").binding(time), by: .soon)
    _ = try confirmed.time()
    #expect(confirmed.values == [time])
    waiting.dispose()
  }
}
