import MailingList
import TestSupport
import Testing

@testable import PostgreSQLStorage

@Suite(.needsPostgreSQL)
struct NumberingFunctionTests {
  private static func number(
    _ messages: [Int64], since: Int64 = 0, _ session: PostgreSQLSession
  ) throws -> Int32? {
    try session.execute(
      Query("SELECT numbered FROM enlist.number_pending($1, $2)")
        .binding(array: messages.map { $0 }).binding(since),
      by: .soon
    ).value(0, 0)
  }

  private static func log(_ session: PostgreSQLSession) throws -> [Int64: [Int64?]] {
    let rows = try session.execute(
      Query("SELECT last, payloads FROM enlist.status_log ORDER BY last"), by: .soon)
    var log: [Int64: [Int64?]] = [:]
    for row in 0..<rows.count { log[try rows.required(row, 0)] = try rows.array(row, 1) }
    return log
  }

  @Test func `positions follow each other without gaps`() throws {
    let session = try TestDatabase().session()
    #expect(try Self.number([], session) == 0)
    try ListUnderTest.signUp(.double, session)
    #expect(try Self.number([6, 7, 8], session) == 2)
    #expect(try Self.number([9], session) == 1)
    let log = try Self.log(session)
    #expect(log.keys.sorted() == [2, 5, 6])
    #expect(log[5] == [6, 7, 8])
    let payloads = try #require(log[2]).compactMap(\.self)
    #expect(payloads.map { $0 & 3 } == [0, 1])
    #expect(payloads.first.map { $0 >> 2 } == ListUnderTest.now.millisecondsSince1970)
  }

  /// The server's clock has microseconds; rounded up, a message would be in the future.
  @Test func `the times of messages are rounded down to milliseconds`() throws {
    let session = try TestDatabase().session()
    try session.execute(
      script: #"""
        SELECT enlist.add_sign_ups(
          false, false, '{"\\x01"}', '{2100-01-01 00:00:00.0019+00}', '{ana@example.org}',
          '{ana@example.org}', '{"\\xaa"}', '{null}', '{false}', '{null}', '{null}', '{null}',
          '{null}', '{null}', '{null}', '{null}', '{null}', '{null}', '{null}'
        )
        """#,
      by: .soon
    )
    #expect(try Self.number([], session) == 1)
    let payloads = try #require(try Self.log(session)[2]).compactMap(\.self)
    #expect(payloads.map { ($0 >> 2) % 1000 } == [1, 1])
  }

  @Test func `one replica numbers at a time, and wakes the others`() throws {
    let database = try TestDatabase()
    let (first, second) = (try database.session(), try database.session())
    try second.execute(Query("LISTEN enlist"), by: .soon)
    try first.execute(Query("BEGIN"), by: .soon)
    #expect(try Self.number([4], first) == 1)
    #expect(try Self.number([8], second) == nil)
    try first.execute(Query("COMMIT"), by: .soon)
    let notification = try #require(try second.notification(by: .soon))
    #expect(notification.sender == first.backendID)
    #expect(try Self.number([], second) == 1)
    #expect(try Self.log(first) == [1: [4], 2: [8]])
  }

  @Test func `a large number of pending rows is numbered in parts, in order`() throws {
    let session = try TestDatabase().session()
    try session.execute(
      script: """
        INSERT INTO enlist.status_pending(payloads) SELECT ARRAY[i] FROM generate_series(1, 1003) AS i
        """,
      by: .soon
    )
    #expect(try Self.number([], session) == Int32(FollowerStatements.numberLimit))
    #expect(try Self.number([1_004], session) == 4)
    let log = try Self.log(session)
    #expect(log.count == 1_004)
    #expect(log.allSatisfy { $0.value == [$0.key] })
  }

  @Test func `what is pending is left alone up to a number`() throws {
    let session = try TestDatabase().session()
    try session.execute(
      script: "INSERT INTO enlist.status_pending(payloads) VALUES ('{1}'), ('{2}')", by: .soon)
    #expect(try Self.number([], since: 1, session) == 1)
    #expect(try Self.log(session) == [1: [2]])
  }

  @Test func `events get positions without gaps, in the order of their changes`() throws {
    let session = try TestDatabase().session()
    func events(_ ids: Range<Int>) -> String {
      let rows = ids.map { "(now(), 1, \($0), 0, NULL, NULL, NULL)::enlist.event" }
      return "ARRAY[\(rows.joined(separator: ", "))]"
    }
    try session.execute(
      script: """
        INSERT INTO enlist.status_pending(payloads, events) VALUES
          ('{4,5}', \(events(1..<3))), ('{}', \(events(3..<4))), ('{8}', NULL), ('{}', NULL),
          ('{}', ARRAY[(NULL, 1, 9, 0, NULL, NULL, NULL)::enlist.event]), ('{}', \(events(4..<6)))
        """,
      by: .soon
    )
    #expect(try Self.number([], session) == 5)
    #expect(try Self.log(session) == [2: [4, 5], 3: [8]])
    let result = try session.execute(
      Query("SELECT array_agg(subscriber_id * 10 + position ORDER BY position) FROM enlist.events"),
      by: .soon)
    #expect(try result.array(0, 0, of: Int64.self) == [11, 22, 33, 44, 55])
  }
}
