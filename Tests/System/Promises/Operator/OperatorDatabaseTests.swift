import TestSupport
import Testing

/// Tests of the operator's side of a service that stores its list in PostgreSQL.
@Suite(.needsPostgreSQL)
struct OperatorDatabaseTests {
  @Test func `keys and metrics are those of the database server`() throws {
    let server = try PostgreSQLServer()
    let service = try Enlist(["--database", server.url(of: "postgres")] + .operating)
    try service.signUp("ada@example.com").expect(202)
    let key = try service.makeKey()
    let text = try eventually("an event that the follower has read") {
      let text = try service.operatorRequest("GET", "/metrics", key: key).expect(200).text
      return text.contains("\nenlist_status_lag_seconds_count 0\n") ? nil : text
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
    let list = try service.run("keys", "list").output
    #expect(list.split(separator: "\n").last?.hasPrefix(id) == true, "\(list)")
    let revoked = try service.run("keys", "revoke", id)
    #expect(revoked.output == "revoked \(id)\n", "\(revoked.errors)")
    try service.operatorRequest("GET", "/metrics", key: key).expect(401)
  }

  @Test func `a key that was used reads the metrics while the server is away, until it is revoked`()
    throws
  {
    let server = try PostgreSQLServer()
    let service = try Enlist(
      ["--database", server.url(of: "postgres"), "--database-timeout", "1s"] + .operating)
    func metrics(_ key: String) throws -> Client.Response {
      try service.operatorRequest("GET", "/metrics", key: key)
    }
    let key = try service.makeKey()
    try eventually("the metrics") { try metrics(key).status == 200 }
    let unused = try service.makeKey()
    try server.stop()
    // What fires the alert EnlistDatabaseAway.
    let line = "enlist_database_connected{connection=\"writer\"} 0\n"
    try eventually("a connection that is lost", within: .seconds(60)) {
      try metrics(key).expect(200).text.contains(line)
    }
    try metrics(unused).expect(503)

    try server.start()
    let id = String(key.dropFirst(7).prefix(8))
    let revoked = try service.run("keys", "revoke", id)
    #expect(revoked.output == "revoked \(id)\n", "\(revoked.errors)")
    try eventually("the rejection of the key", within: .seconds(60)) {
      try metrics(key).status == 401
    }
    try eventually("the metrics", within: .seconds(60)) { try metrics(unused).status == 200 }
  }
}
