import Glibc
import TestSupport
import Testing

/// Tests of the service while its database server fails, each with a server that no other test
/// uses meanwhile.
@Suite(.needsPostgreSQL, .serialized)
struct ServerFailureTests {
  private static let server = try? PostgreSQLServer()

  /// What happens while sign-ups are on their way.
  enum Failure: CaseIterable {
    case fastRestart
    case immediateRestart
    case terminatedSessions
    case readOnly
    case stoppedReplica
  }

  private let server: PostgreSQLServer
  private let list: ReplicatedList

  init() throws {
    server = try #require(Self.server)
    // A test that has failed may have stopped it.
    try server.start()
    list = try ReplicatedList(on: server)
  }

  @Test(arguments: Failure.allCases)
  func `under load, each acknowledged sign-up is stored once whatever fails`(
    _ failure: Failure
  ) throws {
    let replicas = [try list.replica(), try list.replica()]
    let stream = try replicas[0].stream("/status?last_event_id=earliest")
    let load = SignUpLoad(on: replicas)
    var position = 0
    for _ in 0..<2 {
      try load.waitForMore(20)
      try follow(stream, from: &position)
      try fail(failure, replicas, load)
    }
    try load.waitForMore(20)
    let acknowledged = try load.end()
    for replica in replicas { try replica.waitUntilReady() }
    try list.expectComplete(acknowledged)
    try follow(stream, from: &position)
  }

  /// Reads a stream from a position to the end of the log.
  private func follow(_ stream: Client, from position: inout Int) throws {
    let last = try list.lastPosition()
    guard last > position else { return }
    try stream.expectEvents(position + 1, through: last)
    position = last
  }

  private func fail(_ failure: Failure, _ replicas: [Enlist], _ load: SignUpLoad) throws {
    switch failure {
    case .fastRestart: try restart(SIGINT)
    case .immediateRestart: try restart(SIGQUIT)
    case .terminatedSessions: for _ in 0..<5 { try list.terminateSessions() }
    case .readOnly:
      // Sessions that are open obey, too.
      try server.set("default_transaction_read_only", to: "on")
      defer { try? server.set("default_transaction_read_only", to: "off") }
      for replica in replicas { try replica.waitUntilReady(503) }
    case .stoppedReplica:
      replicas[0].process.send(SIGSTOP)
      defer { replicas[0].process.send(SIGCONT) }
      let end = ContinuousClock.now + .seconds(3)
      // Those of the other one.
      try load.waitForMore(40)
      pause(end - .now)
    }
  }

  private func restart(_ signal: Int32) throws {
    try server.stop(signal)
    try server.start()
  }

  @Test func `a service without its server rejects sign-ups, and stores them when it is back`()
    throws
  {
    let service = try list.replica([
      "--database-timeout", "1s", "--heartbeat", "100ms", "--log-level", "info",
    ])
    try service.signUp("a@example.com").expect(202)
    let stream = try service.stream("/status?last_event_id=earliest")
    try stream.expectEvents(through: 2)
    try server.stop()
    try service.waitUntilReady(503)
    let rejected = try service.signUp("b@example.com").expect(503, "storage-unavailable")
    #expect(rejected["Retry-After"] == "5")
    try service.get("/livez").expect(200)
    for _ in 0..<3 {
      let heartbeat = try stream.readEventLine()
      #expect(heartbeat == ":")
    }

    try server.start()
    try service.waitUntilReady()
    try service.signUp("b@example.com").expect(202)
    try list.expectComplete(["a@example.com", "b@example.com"])
    let connection = "the connection to the database server at \(server.socketFolder):5432"
    try service.process.waitForLog("\(connection) is back")
    let lines = try service.stop().split(separator: "\n").filter {
      $0.contains("the connection to")
    }
    #expect(lines.count == 2, "\(lines)")
    #expect(lines.first?.contains("\(connection) is lost: SQLSTATE 57P01") == true, "\(lines)")
  }

  @Test func `a server that may lose what it has acknowledged is rejected`() throws {
    try server.set("fsync", to: "off")
    defer { try? server.set("fsync", to: "on") }
    try eventually("new sessions with the setting") {
      try server.query("SHOW fsync", list.url) == "off"
    }
    let service = try Child.run([
      "enlist", "serve", "--listen", "127.0.0.1:0", "--database", list.url,
    ])
    #expect(service.end == .exit(1))
    #expect(
      service.errors.contains("fsync off: a sign-up would not survive the loss of power"),
      "\(service.errors)")
  }

  @Test func `a service that starts before its server waits for it`() throws {
    try server.stop()
    let process = try Child([
      "enlist", "serve", "--listen", "127.0.0.1:0", "--database", list.url,
    ])
    try process.waitForLog("waiting for the database server")
    try server.start()
    let client = try Client(port: process.port())
    try client.sendSignUp(of: "ana@example.com")
    try client.readResponse().expect(202)
    try list.expectComplete(["ana@example.com"])
  }
}

extension Enlist {
  /// Waits until `/readyz` says whether sign-ups are stored.
  func waitUntilReady(_ status: Int = 200) throws {
    try eventually("\(status) of /readyz") { try get("/readyz").status == status }
  }
}

extension PostgreSQLServer {
  /// Changes a setting of the whole server.
  func set(_ setting: String, to value: String) throws {
    for statement in ["ALTER SYSTEM SET \(setting) = '\(value)'", "SELECT pg_reload_conf()"] {
      _ = try query(statement, url(of: "postgres"))
    }
  }
}
