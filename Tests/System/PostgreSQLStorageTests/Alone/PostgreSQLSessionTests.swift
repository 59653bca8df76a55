import Glibc
import MailingList
import TestSupport
import Testing

@testable import PostgreSQLStorage

@Suite(.needsPostgreSQL)
struct PostgreSQLSessionTests {
  private static func session() throws -> PostgreSQLSession {
    try TestDatabase(isMigrated: false).session()
  }

  @Test func `values return as they were sent`() throws {
    let session = try Self.session()
    let time = Timestamp(millisecondsSince1970: 1_780_272_000_123)
    let row = try session.execute(
      Query("SELECT $1, $2, $3, $4, $5, $6, $7, $8::text")
        .binding(true).binding(Int16(-3)).binding(Int32(-4)).binding(Int64(-5)).binding("é")
        .binding([0, 1] as [UInt8]).binding(time).binding(String?.none),
      by: .soon
    )
    #expect(row.count == 1)
    #expect(try row.value(0, 0, as: Bool.self) == true)
    #expect(try row.value(0, 1, as: Int16.self) == -3)
    #expect(try row.value(0, 2, as: Int32.self) == -4)
    #expect(try row.value(0, 3, as: Int64.self) == -5)
    #expect(try row.value(0, 4, as: String.self) == "é")
    #expect(try row.value(0, 5, as: [UInt8].self) == [0, 1])
    #expect(try row.value(0, 6, as: Timestamp.self) == time)
    #expect(try row.value(0, 7, as: String.self) == nil)
  }

  @Test func `arrays return as they were sent`() throws {
    let session = try Self.session()
    let row = try session.execute(
      Query("SELECT $1, $2, $3, $4, cardinality($2)::bigint")
        .binding(array: ["a", nil, ""]).binding(array: [] as [Int64?])
        .binding(array: [[1], nil] as [[UInt8]?]).binding(array: [Timestamp.distantPast]),
      by: .soon
    )
    #expect(try row.array(0, 0, of: String.self) == ["a", nil, ""])
    #expect(try row.array(0, 1, of: Int64.self) == [])
    #expect(try row.array(0, 2, of: [UInt8].self) == [[1], nil])
    #expect(try row.array(0, 3, of: Timestamp.self) == [.distantPast])
    #expect(try row.value(0, 4, as: Int64.self) == 0)
  }

  @Test func `values of another type, row or column are rejected`() throws {
    let row = try Self.session().execute(Query("SELECT 1::bigint, NULL::bigint"), by: .soon)
    #expect(throws: PostgreSQLError.malformed) { try row.value(0, 0, as: Int32.self) }
    #expect(throws: PostgreSQLError.malformed) { try row.array(0, 0, of: Int64.self) }
    #expect(throws: PostgreSQLError.malformed) { try row.value(1, 0, as: Int64.self) }
    #expect(throws: PostgreSQLError.malformed) { try row.value(-1, 0, as: Int64.self) }
    #expect(throws: PostgreSQLError.malformed) { try row.value(0, 2, as: Int64.self) }
    #expect(throws: PostgreSQLError.malformed) { try row.required(0, 1, as: Int64.self) }
  }

  @Test func `a connection that a proxy has lost does not tell what the server has done`() throws {
    let lost = Query("DO $$ BEGIN RAISE EXCEPTION 'lost' USING ERRCODE = '08P01'; END $$")
    let session = try Self.session()
    #expect(throws: PostgreSQLError.undetermined) { try session.execute(lost, by: .soon) }
  }

  @Test func `a session that the server has ended has its SQLSTATE`() throws {
    let killed = try Self.session()
    let kill = Query("SELECT pg_terminate_backend(pg_backend_pid())")
    #expect(throws: PostgreSQLError.undetermined) { try killed.execute(kill, by: .soon) }
    #expect(killed.endState?.description == "57P01")
    let idle = try Self.session()
    let begin = "SET idle_in_transaction_session_timeout = 1; BEGIN"
    try idle.execute(script: begin, by: .soon)
    #expect(throws: PostgreSQLError.unreachable) { try idle.notification(by: .soon) }
    #expect(idle.endState?.description == "25P03")
  }

  @Test func `of a pipeline only the bad statement fails`() throws {
    let session = try Self.session()
    let results = try session.execute(
      each: [Query("SELECT 1::bigint"), Query("SELECT 1 / 0"), Query("SELECT 2::bigint")], by: .soon
    )
    let numbers = try results.compactMap { try? $0.get() }.map { try $0.value(0, 0) as Int64? }
    #expect(numbers == [1, 2])
    #expect(throws: PostgreSQLError.server(try #require(SQLState("22012")))) {
      try results[1].get()
    }
    #expect(try session.execute(Query("SELECT 3::bigint"), by: .soon).value(0, 0) == Int64(3))
  }

  @Test func `a pipeline larger than the socket's buffers does not block`() throws {
    let session = try Self.session()
    let text = String(repeating: "x", count: 4_000_000)
    let results = try session.execute(
      each: (0..<4).map { _ in Query("SELECT $1").binding(text) }, by: .soon)
    for result in results { #expect(try result.get().value(0, 0) == text) }
  }

  @Test func `a failed script has stored nothing`() throws {
    let session = try Self.session()
    #expect(throws: PostgreSQLError.server(try #require(SQLState("42P01")))) {
      try session.execute(script: "CREATE TABLE one(); SELECT * FROM two", by: .soon)
    }
    let row = try session.execute(Query("SELECT to_regclass('one') IS NULL"), by: .soon)
    #expect(try row.value(0, 0) == true)
  }

  @Test func `a statement without a result by its deadline is undetermined`() throws {
    let session = try Self.session()
    #expect(throws: PostgreSQLError.undetermined) {
      try session.execute(Query("SELECT pg_sleep(60)"), by: .now + .milliseconds(50))
    }
  }

  @Test func `a connection that breaks leaves a statement undetermined`() throws {
    let database = try TestDatabase(isMigrated: false)
    let (first, second) = (try database.session(), try database.session())
    let kill = Query("SELECT pg_terminate_backend($1)").binding(first.backendID)
    try second.execute(kill, by: .soon)
    #expect(throws: PostgreSQLError.self) { try first.execute(Query("SELECT 1"), by: .soon) }
    #expect(throws: PostgreSQLError.self) { try first.execute(Query("SELECT 1"), by: .soon) }
  }

  @Test func `a host where nobody answers is unreachable`() throws {
    let parameters = try ConnectionParameters(url: "postgres://u@%2Fnonexistent/list")
    let options = try #require(parameters.hosts.first)
    #expect(throws: PostgreSQLError.unreachable) {
      try PostgreSQLSession(options, by: .soon)
    }
  }

  @Test func `a notification wakes another session`() throws {
    let database = try TestDatabase(isMigrated: false)
    let (first, second) = (try database.session(), try database.session())
    try first.execute(Query("LISTEN enlist"), by: .soon)
    #expect(try first.notification(by: .now) == nil)
    try second.execute(Query("SELECT pg_notify('enlist', 'text')"), by: .soon)
    let notification = try #require(try first.notification(by: .soon))
    #expect(notification.payload == "text")
    #expect(notification.sender == second.backendID)
  }

  @Test func `a descriptor ends the wait for a notification`() throws {
    let session = try Self.session()
    let pipe = try Pipe.make()
    defer {
      close(pipe.readEnd)
      close(pipe.writeEnd)
    }
    #expect(write(pipe.writeEnd, "x", 1) == 1)
    let begin = ContinuousClock.now
    #expect(try session.notification(by: .soon, or: pipe.readEnd) == nil)
    #expect(ContinuousClock.now - begin < .seconds(5))
  }
}
