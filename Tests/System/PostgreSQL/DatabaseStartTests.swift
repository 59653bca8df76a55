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
    let url = "postgres://enlist@127.0.0.1:\(listener.port)/list"
    let process = try Child(["enlist", "serve", "--listen", "127.0.0.1:0", "--database", url])
    // The process handles signals before it connects.
    var connection: Client?
    switch server {
    case .absent: try process.waitForLog("database server")
    case .silent: connection = try listener.accept()
    }
    let end = try process.wait(after: signal, within: .seconds(10))
    #expect(end == .exit(0))
    let line = "stopped before the database was open"
    #expect(
      process.errors.split(separator: "\n").last?.contains(line) == true, "\(process.errors)")
    withExtendedLifetime((listener, connection)) {}
  }

  @Test func `a signal ends the wait for the lock of a SQLite file`() throws {
    let first = try Enlist()
    _ = try first.stop()
    let lock = try StolenLock(of: first)
    let process = try Child(
      ["enlist", "serve", "--listen", "127.0.0.1:0", "--database-timeout", "60s"],
      in: first.folder)
    try process.waitUntilOpen("enlist.sqlite")
    let end = try process.wait(after: SIGTERM, within: .seconds(10))
    #expect(end == .exit(0))
    #expect(process.errors.contains("stopped before the database was open"), "\(process.errors)")
    try lock.giveBack()
  }
}

/// What the service and commands say when the database server rejects them, or what they write.
@Suite(.needsPostgreSQL) struct DatabaseRejectionTests {
  private static func expectRejection(_ url: String, _ cause: String) throws {
    for command in [["serve", "--listen", "127.0.0.1:0"], ["export"]] {
      let start = ContinuousClock.now
      let run = try Child.run(
        ["enlist"] + command + ["--database", url], environment: ["PGPASSFILE": "/nonexistent"])
      #expect(.now - start < .seconds(15))
      run.expect(69)
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

  // MARK: A server that only reads

  @Test func `a server that only reads is named at once, and is read`() throws {
    let list = try ReplicatedList()
    let service = try list.replica()
    try service.signUp("ada@example.org").expect(202)
    _ = try service.stop()
    try list.query("ALTER DATABASE \(list.name) SET default_transaction_read_only = on")
    let reason = "the database server is read-only, or a standby; give the address of the primary"
    for command in [
      "serve --listen 127.0.0.1:0", "suppress ada@example.org", "erase ada@example.org",
      "keys create --name crm --scopes read", "import - --state subscribed",
      "copy --from \(list.url) --to sqlite:back.sqlite",
    ] {
      let words = command.split(separator: " ").map(String.init)
      let start = ContinuousClock.now
      let run = try Child.run(
        ["enlist"] + words, in: Folder(), environment: ["ENLIST_DATABASE": list.url],
        input: words[0] == "import" ? "address\nbob@example.org\n" : "")
      #expect(.now - start < .seconds(15))
      #expect(run.end == .exit(1), "\(command): \(run)")
      #expect(run.errors.hasSuffix("): \(reason).\n"), "\(command): \(run)")
      #expect(!run.errors.contains("waiting"), "\(command): \(run)")
    }
    for command in ["export", "count"] {
      try Child.run(["enlist", command, "--database", list.url]).expect(0)
    }
  }

  // MARK: A role that may only read

  @Test func `a role that only exports reads neither the secret, the keys nor the webhooks`() throws
  {
    let list = try ReplicatedList()
    let service = try list.replica()
    try service.signUp("ada@example.org").expect(202)
    _ = try service.stop()
    let page = try Document("docs/postgresql.md").text
    let block = try #require(page.firstMatch(of: /```sql\n(CREATE ROLE exporter [^`]*)```/)).1
    let role = "exporter_\(UInt64.random(in: 0...UInt64.max))"
    try list.query(
      String(block).replacing("exporter", with: role).replacing(
        "DATABASE list", with: "DATABASE \(list.name)"))
    let url = list.url.replacing("//\(PostgreSQLServer.role)@", with: "//\(role)@")
    try #require(url != list.url)
    for command in [["export"], ["export", "--consents"], ["count"]] {
      let run = try Child.run(["enlist"] + command + ["--database", url])
      #expect(run.end == .exit(0), "\(run)")
      #expect(run.output.contains(command == ["count"] ? "subscribed 1" : "ada@"), "\(run)")
    }
    let links = ["export", "--links", "--public-url", "https://list.example.org"]
    for command in [links, ["keys", "list"], ["webhooks", "list"]] {
      let run = try Child.run(["enlist"] + command + ["--database", url])
      #expect(run.end == .exit(1), "\(run)")
      #expect(run.output.isEmpty, "\(run)")
      #expect(run.errors.contains(Self.reason), "\(run)")
    }
  }

  private static let reason =
    "the store failed with SQLSTATE 42501: the role may only read, or lacks rights on a table"

  @Test func `a command that writes names the SQLSTATE, and what it means`() throws {
    let list = try ReplicatedList()
    let service = try list.replica()
    try service.signUp("ada@example.org").expect(202)
    _ = try service.stop()
    let url = try Self.reader(of: list)
    for command in [
      "suppress ada@example.org", "suppress eve@example.org", "erase ada@example.org",
      "keys create --name crm --scopes read", "import - --state subscribed",
    ] {
      let words = command.split(separator: " ").map(String.init)
      let run = try Child.run(
        ["enlist"] + words + ["--database", url],
        input: words[0] == "import" ? "address\nbob@example.org\n" : "")
      #expect(run.end == .exit(1), "\(command): \(run)")
      #expect(run.errors.contains(Self.reason), "\(command): \(run)")
    }
  }

  @Test func `a service that cannot store names the SQLSTATE in its log`() throws {
    let list = try ReplicatedList()
    _ = try list.replica().stop()
    let service = try Enlist(["--database", Self.reader(of: list)])
    try service.signUp("eve@example.org").expect(503)
    let log = try service.stop()
    #expect(log.contains("sign-ups cannot be stored"), "\(log)")
    #expect(log.contains(Self.reason), "\(log)")
  }

  /// Creates a role that may only read a list.
  ///
  /// - Returns: The URL of the list for the role.
  private static func reader(of list: ReplicatedList) throws -> String {
    let role = "reader_\(UInt64.random(in: 0...UInt64.max))"
    try list.query(
      """
      CREATE ROLE \(role) LOGIN;
      GRANT CONNECT ON DATABASE \(list.name) TO \(role);
      GRANT USAGE ON SCHEMA enlist TO \(role);
      GRANT SELECT ON ALL TABLES IN SCHEMA enlist TO \(role);
      GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA enlist TO \(role);
      """
    )
    let url = list.url.replacing("//\(PostgreSQLServer.role)@", with: "//\(role)@")
    try #require(url != list.url)
    return url
  }
}
