import TestSupport
import Testing

@testable import PostgreSQLStorage

/// What commands and the service say when their role of the database may only read.
@Suite(.needsPostgreSQL) struct ReadingRoleTests {
  private static let reason =
    "the store failed with SQLSTATE 42501: the role may only read, or lacks rights on a table"

  private let list: ReplicatedList
  /// The URL of the database for the role.
  private let url: String

  init() throws {
    list = try ReplicatedList()
    let service = try list.replica()
    #expect(try service.signUp("ada@example.org").status == 202)
    _ = try service.endAndReadLog()
    let role = "reader_\(UInt64.random(in: 0...UInt64.max))"
    let session = try list.session()
    for statement in [
      "CREATE ROLE \(role) LOGIN", "GRANT CONNECT ON DATABASE \(list.name) TO \(role)",
      "GRANT USAGE ON SCHEMA enlist TO \(role)",
      "GRANT SELECT ON ALL TABLES IN SCHEMA enlist TO \(role)",
      "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA enlist TO \(role)",
    ] {
      try session.execute(Query(statement), by: .soon)
    }
    url = list.url.replacing("postgres://\(PostgreSQLServer.role)@", with: "postgres://\(role)@")
    try #require(url != list.url)
  }

  @Test(
    arguments: [
      ["suppress", "ada@example.org"], ["suppress", "eve@example.org"],
      ["erase", "ada@example.org"], ["keys", "create", "--name", "crm", "--scopes", "read"],
      ["import", "-", "--state", "subscribed"],
    ]
  )
  func `a command that writes names the SQLSTATE, and what it means`(arguments: [String]) throws {
    let input = arguments[0] == "import" ? "address\nbob@example.org\n" : ""
    let run = try CommandRun(arguments + ["--database", url], input: input)
    #expect(run.end == .exit(1))
    #expect(run.errors.contains(Self.reason), "\(run.errors)")
  }

  @Test func `a service that cannot store names the SQLSTATE in its log`() throws {
    let service = try RunningService(["--database", url])
    #expect(try service.signUp("eve@example.org").status == 503)
    let log = try service.endAndReadLog()
    #expect(log.contains("sign-ups cannot be stored"))
    #expect(log.contains(Self.reason), "\(log)")
  }
}
