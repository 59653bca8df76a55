import MailingList
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

  @Test func `of several servers, one that only reads is no reason while another is away`() throws {
    let database = try TestDatabase()
    let name = try database.run(Query("SELECT current_database()::text"))
      .required(0, 0, as: String.self)
    try database.session().execute(
      script: "ALTER DATABASE \(name) SET default_transaction_read_only = on", by: .soon)
    let folder = try #require(PostgreSQLServer.shared).socketFolder.replacing("/", with: "%2F")
    func connection(_ hosts: String) throws -> PostgreSQLConnection {
      let url = "postgres://\(PostgreSQLServer.role)@\(hosts)/\(name)"
      return PostgreSQLConnection(.init(parameters: try ConnectionParameters(url: url)))
    }
    for hosts in [folder, "\(folder),\(folder)"] {
      let reading = try connection(hosts)
      #expect(throws: PostgreSQLError.unreachable) {
        try reading.ready(by: .soon, untilRejected: true)
      }
      #expect(reading.rejection == .readOnly)
      #expect(reading.storeError == .readOnly)
    }
    for hosts in ["\(folder),%2Fnonexistent", "%2Fnonexistent,\(folder)"] {
      let waiting = try connection(hosts)
      #expect(throws: PostgreSQLError.unreachable) {
        try waiting.ready(by: .now + .milliseconds(200), untilRejected: true)
      }
      let error = waiting.openingError(.unreachable, at: "list")
      guard case .unreachable(_, let reason) = error else {
        Issue.record("\(error)")
        continue
      }
      #expect(reason.contains("/nonexistent"), "\(reason)")
    }
  }

  @Test func `a server without room for a connection is not one that cannot be reached`() throws {
    let database = try TestDatabase()
    let role = "crowd_\(UInt64.random(in: 0...UInt64.max))"
    try database.session().execute(
      script: "CREATE ROLE \(role) LOGIN CONNECTION LIMIT 0", by: .soon)
    var parameters = database.parameters
    parameters.replace("user", by: role)
    let error = #expect(throws: PostgreSQLOpeningError.self) {
      try CommandConnection(parameters, timeout: .milliseconds(200))
    }
    let text = "\(String(describing: error))"
    #expect(text.contains("The database server rejects the connection (dbname="), "\(text)")
    #expect(text.contains("53300"), "\(text)")
    #expect(error?.isUnavailable == true)
  }

  @Test func `a connection that is lost before its first statement ends says why`() throws {
    let connection = Self.connection(try TestDatabase())
    let session = try connection.ready(by: .soon)
    let kill = Query("SELECT pg_terminate_backend(pg_backend_pid())")
    let error = #expect(throws: PostgreSQLError.self) { try session.execute(kill, by: .soon) }
    #expect(
      connection.openingError(try #require(error), at: "list")
        == .unreachable(location: "list", reason: "SQLSTATE 57P01"))
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
