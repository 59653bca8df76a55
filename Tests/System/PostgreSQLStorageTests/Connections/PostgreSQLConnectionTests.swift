import Signals
import TestSupport
import Testing

@testable import PostgreSQLStorage

@Suite(.needsPostgreSQL)
struct PostgreSQLConnectionTests {
  /// The reports of a connection.
  private final class Reports: Sendable {
    private let state = Lock<[ConnectionReport]>([])

    var all: [ConnectionReport] { state.withLock { $0 } }

    func add(_ report: ConnectionReport) {
      state.withLock { $0.append(report) }
    }
  }

  private static func connection(
    _ database: TestDatabase, _ reports: Reports = Reports()
  ) -> PostgreSQLConnection {
    PostgreSQLConnection(
      .init(parameters: database.parameters, report: { reports.add($0) }, jitter: { 0.2 }))
  }

  @Test func `opens a session and tests it`() throws {
    let reports = Reports()
    let connection = Self.connection(try TestDatabase(), reports)
    let session = try connection.ready(by: .soon)
    #expect(try session.execute(Query("SELECT 1::bigint"), by: .soon).value(0, 0) == Int64(1))
    #expect(try connection.ready(by: .soon) === session)
    #expect(connection.state.step == .ready)
    #expect(reports.all == [.warning(.noSynchronousStandby)])
  }

  @Test func `opens another session when one is lost, and reports it once`() throws {
    let reports = Reports()
    let database = try TestDatabase()
    let connection = Self.connection(database, reports)
    let first = try connection.ready(by: .soon)
    connection.sent()
    connection.lost(.undetermined)
    #expect(connection.state.step == .waiting)
    #expect(connection.current == nil)
    let second = try connection.ready(by: .soon)
    #expect(second !== first)
    #expect(connection.state.hasSent)
    connection.settled()
    #expect(!connection.state.hasSent)
    let server = database.parameters.servers
    let lost = ConnectionReport.lost(
      server: server, reason: "no result in time, or the connection broke")
    #expect(reports.all == [.warning(.noSynchronousStandby), lost, .back(server: server)])
  }

  @Test func `is unreachable at its deadline`() throws {
    let connection = PostgreSQLConnection(
      .init(parameters: try ConnectionParameters(url: "postgres://u@%2Fnonexistent/list")))
    #expect(throws: PostgreSQLError.unreachable) {
      try connection.ready(by: .now + .milliseconds(100))
    }
    #expect(connection.rejection == nil)
  }

  @Test func `attempts without pauses end at the deadline`() throws {
    let connection = PostgreSQLConnection(
      .init(
        parameters: try ConnectionParameters(url: "postgres://u@%2Fnonexistent/list"), jitter: { 0 }
      ))
    #expect(throws: PostgreSQLError.unreachable) {
      try connection.ready(by: .now + .milliseconds(50))
    }
  }

  @Test func `a session is opened even if the next deadline is always very soon`() throws {
    let connection = Self.connection(try TestDatabase())
    try eventually { (try? connection.ready(by: .now + .milliseconds(1))) != nil }
  }

  @Test func `tells why a server is rejected`() throws {
    let database = try TestDatabase(isMigrated: false)
    try database.session().execute(
      script: "CREATE SCHEMA enlist; CREATE TABLE enlist.other()", by: .soon)
    let connection = Self.connection(database)
    #expect(throws: PostgreSQLError.unreachable) {
      try connection.ready(by: .now + .milliseconds(200))
    }
    #expect(connection.rejection == .foreignSchema)
  }

  @Test func `a server whose schema has become too new is rejected, and the reason reported once`()
    throws
  {
    let database = try TestDatabase()
    let reports = Reports()
    let connection = Self.connection(database, reports)
    _ = try connection.ready(by: .soon)
    let next = SchemaMigrator().latest + 1
    let step = Migration(version: next, worksFrom: next, sql: "CREATE TABLE more();")
    try SchemaMigrator(migrations: Migration.all + [step]).run(database.session(), by: .soon)
    try database.terminateSessions()
    connection.lost(.undetermined)
    #expect(throws: PostgreSQLError.unreachable) {
      try connection.ready(by: .soon, untilRejected: true)
    }
    let rejection = ServerRejection.schemaNewer(found: next, worksFrom: next, known: next - 1)
    #expect(connection.rejection == rejection)
    // Several attempts.
    #expect(throws: PostgreSQLError.unreachable) { try connection.ready(by: .now + .seconds(1)) }
    #expect(connection.rejection == rejection)
    let server = database.parameters.servers
    #expect(
      reports.all.dropFirst() == [
        .lost(server: server, reason: "no result in time, or the connection broke"),
        .rejected(server: server, reason: "\(rejection)"),
      ]
    )
  }

  @Test func `a closed connection stays closed`() throws {
    let connection = Self.connection(try TestDatabase())
    _ = try connection.ready(by: .soon)
    connection.close()
    #expect(connection.state.step == .closed)
    #expect(throws: PostgreSQLError.unreachable) { try connection.ready(by: .soon) }
  }
}
