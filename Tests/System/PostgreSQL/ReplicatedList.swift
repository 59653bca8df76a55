import TestSupport
import Testing

/// A database that replicas of the service share, as child processes.
struct ReplicatedList {
  /// The server of the database.
  let server: PostgreSQLServer
  /// The name of the database.
  let name: String

  /// Creates a database, which a replica migrates.
  init(on server: PostgreSQLServer? = .shared) throws {
    self.server = try #require(server)
    name = "test_\(UInt64.random(in: 0...UInt64.max))"
    for statement in [
      "CREATE DATABASE \(name)", "REVOKE CONNECT ON DATABASE \(name) FROM PUBLIC",
    ] {
      _ = try self.server.query(statement, self.server.url(of: "postgres"))
    }
  }

  /// The same database on another server, which has a copy.
  init(_ list: ReplicatedList, on server: PostgreSQLServer) {
    self.server = server
    name = list.name
  }

  /// The URL of the database at the server's Unix socket.
  var url: String { server.url(of: name) }

  /// Starts a replica whose streams are silent when nothing happens.
  func replica(_ flags: [String] = [], relay: TestRelay? = nil) throws -> Enlist {
    try Enlist(["--database", url, "--heartbeat", "600s"] + flags, relay: relay)
  }

  // MARK: Statements

  /// Executes statements, together in a transaction, in a session of their own.
  @discardableResult
  func query(_ sql: String) throws -> String { try server.query(sql, url) }

  /// Reads a number.
  func count(_ sql: String) throws -> Int {
    let text = try query(sql)
    return try #require(Int(text))
  }

  /// The position of the last event that has one.
  func lastPosition() throws -> Int {
    try count("SELECT coalesce(max(last), 0) FROM enlist.status_log")
  }

  /// Waits until the server has ended the sessions of replicas that ended, and a number of replicas
  /// is left.
  func waitForReplicas(_ count: Int) throws {
    try eventually("the sessions of \(count) replicas") {
      try self.count(
        """
        SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
          AND backend_type = 'client backend' AND pid <> pg_backend_pid()
        """
      ) == 3 * count
    }
  }

  /// Ends the sessions of all replicas.
  func terminateSessions() throws {
    try query(
      """
      SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()
      """
    )
  }

  // MARK: Expectations

  /// Expects that what was acknowledged is stored once, and that the status log has all of it
  /// without a gap.
  ///
  /// Every address has signed up once; a sign-up that was not acknowledged may be stored or not, but
  /// only as a whole.
  func expectComplete(
    _ acknowledged: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try eventually("the positions of all events") {
      try count("SELECT count(*) FROM enlist.status_pending") == 0
    }
    let stored = try query("SELECT address FROM enlist.subscribers").split(separator: "\n")
      .map(String.init)
    #expect(Set(stored).count == stored.count, sourceLocation: sourceLocation)
    #expect(Set(acknowledged).count == acknowledged.count, sourceLocation: sourceLocation)
    let missing = Set(acknowledged).subtracting(stored)
    #expect(missing.isEmpty, "of \(acknowledged.count)", sourceLocation: sourceLocation)

    // One statement, because messages of sign-ups that failed may still follow.
    let counts = try query(
      """
      SELECT (SELECT count(*) FROM enlist.consents),
        count(*) FILTER (WHERE message & 3 = 0), count(*) FILTER (WHERE message & 3 = 1),
        count(*) FILTER (WHERE message & 3 = 2)
      FROM (
        SELECT unnest(payloads) AS message FROM enlist.status_log
        UNION ALL SELECT unnest(payloads) FROM enlist.status_pending
      ) AS messages
      """
    ).split(separator: "|").compactMap { Int($0) }
    try #require(counts.count == 4, sourceLocation: sourceLocation)
    let (consents, started, completed, failed) = (counts[0], counts[1], counts[2], counts[3])
    #expect(consents == stored.count, sourceLocation: sourceLocation)
    #expect(completed == consents, sourceLocation: sourceLocation)
    #expect(started == completed + failed, sourceLocation: sourceLocation)
    let gaps = try count(
      """
      SELECT count(*) FROM (
        SELECT last - cardinality(payloads) - lag(last, 1, 0::bigint) OVER (ORDER BY last) AS width
        FROM enlist.status_log
      ) AS gaps WHERE width <> 0
      """
    )
    #expect(gaps == 0, sourceLocation: sourceLocation)
  }
}

extension Client {
  /// Reads a `/status` stream from its first event to a position, and expects each position once.
  func expectEvents(
    _ first: Int = 1, through last: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let end = ContinuousClock.now + patience
    var positions: [Int] = []
    while positions.count <= last - first {
      let event = try #require(try readEvent(within: end - .now), sourceLocation: sourceLocation)
      // Without an event there are comments only.
      if event.event == nil { continue }
      #expect(event.event != "reset", sourceLocation: sourceLocation)
      positions.append(try #require(event.position, sourceLocation: sourceLocation))
    }
    #expect(positions == Array(first...last), sourceLocation: sourceLocation)
  }
}

extension Client.Event {
  /// The position in the id; `nil` without an id.
  var position: Int? { id?.split(separator: "-").last.flatMap { Int($0) } }
}
