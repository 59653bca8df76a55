import Glibc
import TestSupport
import Testing

/// What the service does at startup while its database cannot be opened.
@Suite struct DatabaseStartTests {
  /// A process that does not accept connections, or accepts them and then is silent.
  enum Server: CaseIterable {
    case absent
    case silent
  }

  @Test(arguments: Server.allCases, [SIGTERM, SIGINT])
  func `a signal ends the wait for the database server`(_ server: Server, _ signal: Int32) throws {
    let listener = try LocalListener(refuses: server == .absent)
    let process = try ChildProcess(
      "enlist",
      [
        "serve", "--listen", "127.0.0.1:0", "--database",
        "postgres://enlist@127.0.0.1:\(listener.port)/list",
      ]
    )
    // The process handles signals before it connects.
    var connection: SocketClient?
    switch server {
    case .absent: try Deadline.soon.wait { process.standardError.contains("database server") }
    case .silent: connection = try listener.accept()
    }
    process.send(signal: signal)
    #expect(try process.wait(by: Deadline(after: .seconds(10))) == .exit(0))
    let line = "stopped before the database was open"
    #expect(process.standardError.split(separator: "\n").last?.contains(line) == true)
    withExtendedLifetime((listener, connection)) {}
  }

  @Test func `a signal ends the wait for the lock of a SQLite file`() throws {
    let folder = try TemporaryFolder()
    let first = try RunningService(in: folder)
    first.process.send(signal: SIGTERM)
    try first.process.wait()
    let lock = try StolenLock(of: first)
    let process = try ChildProcess(
      "enlist", ["serve", "--listen", "127.0.0.1:0", "--database-timeout", "60s"], in: folder)
    try process.waitUntilOpen("enlist.sqlite")
    process.send(signal: SIGTERM)
    #expect(try process.wait(by: Deadline(after: .seconds(10))) == .exit(0))
    #expect(process.standardError.contains("stopped before the database was open"))
    try lock.giveBack()
  }

  @Test(
    arguments: [
      "postgres://u:hunter@127.0.0.1:99999/list", "postgres://u:hunter@127.0.0.1:0/list",
      "postgres://u:hunter@127.0.0.1/list?sslmode=maybe", "sqlite://u:hunter@127.0.0.1/list",
    ],
    [["serve"], ["serve", "--check"], ["export"]]
  )
  func `a URL that cannot be used is an invalid setting`(_ url: String, _ command: [String]) throws
  {
    let run = try CommandRun(command + ["--database", url])
    #expect(run.end == .exit(64))
    #expect(run.output.isEmpty)
    #expect(run.errors.contains("--database"))
    #expect(!run.errors.contains("hunter"))
  }
}

/// What the service does when its database server rejects it.
@Suite(.needsPostgreSQL) struct DatabaseRejectionTests {
  private static func expectRejection(_ url: String, _ cause: String) throws {
    for command in [["serve", "--listen", "127.0.0.1:0"], ["export"]] {
      let start = ContinuousClock.now
      let run = try CommandRun(
        command + ["--database", url], environment: ["PGPASSFILE": "/nonexistent"])
      #expect(.now - start < .seconds(15))
      #expect(run.end == .exit(69), "\(run.errors)")
      #expect(run.output.isEmpty)
      let line = run.errors.split(separator: "\n").last ?? ""
      #expect(line.hasPrefix("enlist: The database server"), "\(run.errors)")
      #expect(line.contains(cause), "\(run.errors)")
      #expect(!run.errors.contains("waiting"), "\(run.errors)")
    }
  }

  @Test func `an unknown database or role is not waited for`() throws {
    let server = try #require(PostgreSQLServer.shared)
    try Self.expectRejection(server.url(of: "unknown"), #"database "unknown" does not exist"#)
    let url = server.url(of: "postgres").replacing("//enlist@", with: "//unknown@")
    try Self.expectRejection(url, #"role "unknown" does not exist"#)
  }

  @Test func `a password that is wrong or missing is not waited for`() throws {
    let server = try PostgreSQLServer(
      ["hba_file": "../hba"], files: ["hba": Array("local all all scram-sha-256\n".utf8)])
    let url = server.url(of: "postgres")
    try Self.expectRejection(url, "no password supplied")
    try Self.expectRejection(
      url.replacing("//enlist@", with: "//enlist:hunter@"), "password authentication failed")
  }
}
