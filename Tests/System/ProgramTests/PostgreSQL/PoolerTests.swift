import Glibc
import TestSupport
import Testing

/// Tests of the service behind PgBouncer.
@Suite(
  .needsPostgreSQL,
  .enabled(if: Program.isThere("pgbouncer"), "pgbouncer is not installed: Scripts/bootstrap all"))
struct PoolerTests {
  private let list: ReplicatedList
  private let folder: TemporaryFolder

  init() throws {
    list = try ReplicatedList()
    folder = try TemporaryFolder()
    try PostgreSQLServer.giveAway(folder.path)
  }

  /// Starts PgBouncer, which rejects the rights of root as the server does.
  private func start(mode: String) throws -> ChildProcess {
    let file = try folder.write(
      """
      [databases]
      \(list.name) = \(list.server.location)
      [pgbouncer]
      pool_mode = \(mode)
      auth_type = any
      unix_socket_dir = \(folder.path)
      listen_port = 6432
      """,
      to: "pgbouncer.ini"
    )
    let words = PostgreSQLServer.asUser + ["pgbouncer", "--quiet", file]
    let pooler = try Program.start(words.joined(separator: " "), in: folder)
    try Deadline.soon.wait(orThrow: .malformed(pooler.standardError)) {
      (try? SocketClient(path: folder.path(of: ".s.PGSQL.6432"))) != nil
    }
    return pooler
  }

  private var url: String {
    PostgreSQLServer.url(of: list.name, in: folder.path, port: 6432)
  }

  @Test func `a pooler in transaction mode is rejected, with a remedy`() throws {
    let pooler = try start(mode: "transaction")
    let service = try CommandRun(["serve", "--listen", "127.0.0.1:0", "--database", url])
    #expect(service.end == .exit(1))
    #expect(service.errors.contains("there is a pooler in transaction mode"), "\(service.errors)")
    #expect(service.errors.contains("give the direct address, or that of its session mode"))
    #expect(!service.output.contains("listening"))
    pooler.send(signal: SIGTERM)
  }

  @Test func `a pooler in session mode serves several replicas`() throws {
    let pooler = try start(mode: "session")
    let arguments = ["--database", url, "--heartbeat", "600s"]
    let (first, second) = (try RunningService(arguments), try RunningService(arguments))
    let stream = try second.stream()
    for number in 0..<5 { #expect(try first.signUp("p\(number)@example.com").status == 202) }
    try stream.expectEvents(through: 10)
    let log = try first.endAndReadLog()
    #expect(log.contains("there is a proxy in front of the database server"))
    #expect(!log.contains("polling"))
    pooler.send(signal: SIGTERM)
  }
}
