import Glibc
import TestSupport
import Testing

@testable import PostgreSQLStorage

/// Tests of how long one replica takes to learn what another one does.
///
/// Each takes the median of several times, in which a pause of a busy machine does not matter.
@Suite(.needsPostgreSQL)
struct ReplicaTimesTests {
  private let list: ReplicatedList

  init() throws {
    list = try ReplicatedList()
  }

  /// Measures something several times.
  ///
  /// - Parameters:
  ///   - count: How often, an odd number.
  ///   - prepare: Prepares a measurement, with its number.
  ///   - body: What is measured.
  /// - Returns: The median.
  /// - Throws: An error of a closure.
  private func medianTime(
    of count: Int = 11, after prepare: (_ number: Int) throws -> Void = { _ in },
    _ body: (_ number: Int) throws -> Void
  ) throws -> Duration {
    let times = try (0..<count).map { number in
      try prepare(number)
      return try ContinuousClock().measure { try body(number) }
    }
    return times.sorted()[count / 2]
  }

  @Test func `an event of one replica is on a stream of another within 100 ms`() throws {
    let (first, second) = (try list.replica(), try list.replica())
    let stream = try second.stream()
    let client = try first.connect()
    let time = try medianTime { number in
      try client.sendSignUp(of: "p\(number)@example.com")
      #expect(try client.readResponse().status == 202)
    } _: { number in
      try stream.expectEvents(2 * number + 1, through: 2 * number + 2)
    }
    #expect(time < .milliseconds(100))
  }

  @Test func `an address that one replica is storing is rejected by another within 100 ms`() throws
  {
    // No statement gives up before the test does.
    let arguments = ["--database-timeout", "60s"]
    let (first, second) = (try list.replica(arguments), try list.replica(arguments))
    let held = try HeldTransactions(of: list)
    let client = try first.connect()
    try client.sendSignUp(of: "held@example.com")
    try held.waitForOne()
    let other = try second.connect()
    let time = try medianTime { _ in
      try other.sendSignUp(of: "held@example.com")
      #expect(try other.readResponse().status == 409)
    }
    #expect(time < .milliseconds(100))
    try held.release()
    #expect(try client.readResponse().status == 202)
    #expect(try list.count("SELECT count(*) FROM enlist.consents") == 1)
  }

  @Test func `messages of a replica that was killed are numbered within a second`() throws {
    let survivor = try list.replica()
    let stream = try survivor.stream()
    let locking = try list.session()
    let time = try medianTime(of: 3) { number in
      let killed = try list.replica()
      // No replica numbers what the killed one has committed.
      try locking.execute(
        script: "BEGIN; SELECT FROM enlist.status_numbering FOR UPDATE", by: .soon)
      #expect(try killed.signUp("p\(number)@example.com").status == 202)
      killed.process.send(signal: SIGKILL)
      #expect(try killed.process.wait() == .signal(SIGKILL))
    } _: { number in
      try locking.execute(Query("COMMIT"), by: .soon)
      try stream.expectEvents(2 * number + 1, through: 2 * number + 2)
    }
    // The last round was at most a second ago; it takes a moment itself.
    // There is a round a second, which takes a moment itself.
    #expect(time < .milliseconds(1200))
  }
}
