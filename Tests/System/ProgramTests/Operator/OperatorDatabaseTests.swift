import TestSupport
import Testing

/// Tests of the operator's side of a service that stores its list in PostgreSQL.
@Suite(
  .enabled(
    if: PostgreSQLServer.isInstalled,
    "PostgreSQL 14 or later is not installed; Scripts/bootstrap all installs it"))
struct OperatorDatabaseTests {
  @Test func `keys and metrics are those of the database server`() throws {
    let server = try PostgreSQLServer()
    let database = ["--database", server.url(of: "postgres")]
    let service = try RunningService(database + RunningService.operatorFlags)
    #expect(try service.signUp("ada@example.com").status == 202)
    let key = try #require(
      try service.keys(["create", "--name", "test", "--scopes", "metrics"] + database).first)
    let text = try Deadline(after: .seconds(30)).value {
      let response = try service.operatorRequest("GET", "/metrics", key: key)
      try #require(response.status == 200)
      let isRead = !response.text.contains("\nenlist_status_lag_seconds_count 0\n")
      return isRead ? response.text : nil
    }
    for line in [
      "enlist_executions_total{outcome=\"completed\"} 1", "enlist_queued_sign_ups 0",
      "enlist_subscribers{state=\"subscribed\"} 1", "enlist_outbox_messages 0",
      "enlist_store_errors_total{error=\"unreachable\"} 0",
      "enlist_database_connected{connection=\"follower\"} 1",
      "enlist_database_reconnects_total{connection=\"writer\"} 0",
      "enlist_status_numbered_total 1",
    ] { #expect(text.contains("\n\(line)\n"), "\(line)") }
    #expect(!text.contains("enlist_commit_seconds_count 0\n"))
    // The server's log is not a file of the service.
    #expect(!text.contains("enlist_wal_bytes"))

    let id = String(key.dropFirst(7).prefix(8))
    #expect(try service.keys(["list"] + database).last?.hasPrefix(id) == true)
    #expect(try service.keys(["revoke", id] + database) == ["revoked \(id)"])
    #expect(try service.operatorRequest("GET", "/metrics", key: key).status == 401)
  }

  @Test func `a key that was used reads the metrics while the server is away, until it is revoked`()
    throws
  {
    let server = try PostgreSQLServer()
    let database = ["--database", server.url(of: "postgres")]
    let service = try RunningService(
      database + RunningService.operatorFlags + ["--database-timeout", "1s"])
    func makeKey() throws -> String {
      let arguments = ["create", "--name", "test", "--scopes", "metrics"] + database
      return try #require(try service.keys(arguments).first)
    }
    func metrics(_ key: String) throws -> TestResponse {
      try service.operatorRequest("GET", "/metrics", key: key)
    }
    let key = try makeKey()
    try Deadline(after: .seconds(30)).wait { try metrics(key).status == 200 }
    let unused = try makeKey()
    try server.stop()
    // What fires the alert EnlistDatabaseAway.
    let line = "enlist_database_connected{connection=\"writer\"} 0\n"
    try Deadline(after: .seconds(60)).wait {
      let response = try metrics(key)
      #expect(response.status == 200)
      return response.text.contains(line)
    }
    #expect(try metrics(unused).status == 503)

    try server.start()
    let id = String(key.dropFirst(7).prefix(8))
    #expect(try service.keys(["revoke", id] + database) == ["revoked \(id)"])
    try Deadline(after: .seconds(60)).wait { try metrics(key).status == 401 }
    try Deadline(after: .seconds(60)).wait { try metrics(unused).status == 200 }
  }
}
