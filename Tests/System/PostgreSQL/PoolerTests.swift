import Glibc
import TestSupport
import Testing

/// Tests of the service behind PgBouncer.
@Suite(
  .needsPostgreSQL,
  .enabled(if: Child.finds("pgbouncer"), "pgbouncer is not installed: Scripts/bootstrap all"))
struct PoolerTests {
  private let list: ReplicatedList
  private let folder: Folder
  /// The URL of the list at the pooler.
  private let url: String

  init() throws {
    (list, folder) = (try ReplicatedList(), try Folder())
    try PostgreSQLServer.giveAway(folder.path)
    url = PostgreSQLServer.url(of: list.name, in: folder.path, port: 6432)
  }

  @Test(arguments: ["transaction", "statement"], [false, true])
  func `a pooler in transaction or statement mode is rejected at once, with a remedy`(
    _ mode: String, _ isMigrated: Bool
  ) throws {
    if isMigrated { _ = try list.replica().stop() }
    let pooler = try start(mode: mode)
    try expectRejection(["serve", "--listen", "127.0.0.1:0"])
    pooler.send(SIGTERM)
  }

  @Test func `nothing is copied through a pooler in statement mode`() throws {
    let pooler = try start(mode: "statement")
    let service = try Enlist()
    _ = try service.stop()
    let file = "sqlite:\(service.folder("enlist.sqlite"))"
    try expectRejection(["copy", "--from", file, "--to", url])
    try expectRejection(["copy", "--from", url, "--to", "sqlite:\(folder("back.sqlite"))"])
    pooler.send(SIGTERM)
  }

  private func expectRejection(_ words: [String]) throws {
    let start = ContinuousClock.now
    let run = try Child.run(["enlist"] + words, environment: ["ENLIST_DATABASE": url]).expect(1)
    #expect(.now - start < .seconds(15))
    let reason = """
      there is a pooler in transaction or statement mode in front of the database; give the direct \
      address, or that of its session mode
      """
    #expect(run.errors.contains(reason), "\(run.errors)")
    #expect(run.output.isEmpty, "\(run.output)")
  }

  @Test func `a pooler in session mode serves several replicas`() throws {
    let pooler = try start(mode: "session")
    let flags = ["--database", url, "--heartbeat", "600s"]
    let (first, second) = (try Enlist(flags), try Enlist(flags))
    let stream = try second.stream()
    for number in 0..<5 { try first.signUp("p\(number)@example.com").expect(202) }
    try stream.expectEvents(through: 10)
    let log = try first.stop()
    #expect(log.contains("there is a proxy in front of the database server"), "\(log)")
    #expect(!log.contains("polling"), "\(log)")
    pooler.send(SIGTERM)
  }

  /// Starts PgBouncer, which rejects the rights of root as the server does.
  private func start(mode: String) throws -> Child {
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
    let pooler = try Child(PostgreSQLServer.asUser + ["pgbouncer", "--quiet", file], in: folder)
    try eventually("the socket of PgBouncer: \(pooler.errors)") {
      (try? Client(path: folder(".s.PGSQL.6432"))) != nil
    }
    return pooler
  }
}
