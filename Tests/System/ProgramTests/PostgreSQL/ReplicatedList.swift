import TestSupport
import Testing

@testable import PostgreSQLStorage

/// A database that replicas of the service share, as child processes.
struct ReplicatedList {
  /// The server of the database.
  let server: PostgreSQLServer
  /// The name of the database.
  let name: String

  /// Creates a database, which a replica migrates.
  ///
  /// - Parameter server: The server; the shared one without it.
  /// - Throws: An error if the server does not run.
  init(on server: PostgreSQLServer? = .shared) throws {
    self.server = try #require(server)
    name = "test_\(UInt64.random(in: 0...UInt64.max))"
    let admin = try Self.session(self.server.url(of: "postgres"))
    try admin.execute(Query("CREATE DATABASE \(name)"), by: .soon)
    try admin.execute(Query("REVOKE CONNECT ON DATABASE \(name) FROM PUBLIC"), by: .soon)
  }

  /// The same database on another server, which has a copy.
  init(_ list: ReplicatedList, on server: PostgreSQLServer) {
    self.server = server
    name = list.name
  }

  /// The URL of the database at the server's Unix socket.
  var url: String { server.url(of: name) }

  /// Starts a replica whose streams are silent when nothing happens.
  ///
  /// - Parameter arguments: Further flags.
  /// - Returns: The replica.
  /// - Throws: `TestSystemError` if it does not listen.
  func replica(_ arguments: [String] = []) throws(TestSystemError) -> RunningService {
    try RunningService(["--database", url, "--heartbeat", "600s"] + arguments)
  }

  // MARK: Sessions

  /// Opens a session in the database.
  func session() throws -> PostgreSQLSession { try Self.session(url) }

  /// Reads a number in a session of its own.
  func count(_ sql: String) throws -> Int { try session().count(sql) }

  /// The position of the last event that has one.
  func lastPosition() throws -> Int {
    try count("SELECT coalesce(max(last), 0) FROM enlist.status_log")
  }

  /// Waits until the server has ended the sessions of replicas that ended.
  ///
  /// - Parameter count: The number of replicas that are left.
  /// - Throws: `TestSystemError.timeout` if it does not.
  func waitForReplicas(_ count: Int) throws {
    let session = try session()
    try Deadline(after: .seconds(30)).wait {
      try session.count(
        """
        SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
          AND backend_type = 'client backend' AND pid <> pg_backend_pid()
        """
      ) == 3 * count
    }
  }

  /// Ends the sessions of all replicas.
  func terminateSessions() throws {
    _ = try count(
      """
      SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()
      """
    )
  }

  private static func session(_ url: String) throws -> PostgreSQLSession {
    var parameters = try ConnectionParameters(url: url)
    // The default rejects a standby and a server that only reads.
    parameters.replace("target_session_attrs", by: "any")
    return try PostgreSQLSession(#require(parameters.hosts.first), by: .soon)
  }

  // MARK: Expectations

  /// Expects that what was acknowledged is stored once, and that the status log has all of it
  /// without a gap.
  ///
  /// Every address has signed up once; a sign-up that was not acknowledged may be stored or not, but
  /// only as a whole.
  ///
  /// - Parameters:
  ///   - acknowledged: The addresses whose sign-up was acknowledged.
  ///   - sourceLocation: The location of the call.
  /// - Throws: An error of the server.
  func expectComplete(
    _ acknowledged: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let session = try session()
    try Deadline(after: .seconds(30)).wait {
      try session.count("SELECT count(*) FROM enlist.status_pending") == 0
    }
    let rows = try session.execute(Query("SELECT address FROM enlist.subscribers"), by: .soon)
    let stored = try (0..<rows.count).map { try rows.required($0, 0, as: String.self) }
    #expect(Set(stored).count == stored.count, sourceLocation: sourceLocation)
    #expect(Set(acknowledged).count == acknowledged.count, sourceLocation: sourceLocation)
    let missing = Set(acknowledged).subtracting(stored)
    #expect(missing.isEmpty, "of \(acknowledged.count)", sourceLocation: sourceLocation)

    // One statement, because messages of sign-ups that failed may still follow.
    let counts = try session.execute(
      Query(
        """
        SELECT (SELECT count(*) FROM enlist.consents),
          count(*) FILTER (WHERE message & 3 = 0), count(*) FILTER (WHERE message & 3 = 1),
          count(*) FILTER (WHERE message & 3 = 2)
        FROM (
          SELECT unnest(payloads) AS message FROM enlist.status_log
          UNION ALL SELECT unnest(payloads) FROM enlist.status_pending
        ) AS messages
        """
      ),
      by: .soon
    )
    let numbers = try (0..<4).map { Int(try counts.required(0, $0, as: Int64.self)) }
    let (consents, started, completed, failed) = (numbers[0], numbers[1], numbers[2], numbers[3])
    #expect(consents == stored.count, sourceLocation: sourceLocation)
    #expect(completed == consents, sourceLocation: sourceLocation)
    #expect(started == completed + failed, sourceLocation: sourceLocation)
    let gaps = try session.count(
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

extension PostgreSQLSession {
  /// Reads a number of the type `bigint`.
  func count(_ sql: String) throws -> Int {
    Int(try execute(Query(sql), by: .soon).required(0, 0, as: Int64.self))
  }
}

extension SocketClient {
  /// Reads a `/status` stream from its first event to a position, and expects each position once.
  ///
  /// - Parameters:
  ///   - first: The position of the next event.
  ///   - last: The position of the last event to read.
  ///   - sourceLocation: The location of the call.
  /// - Throws: An error if the events do not arrive.
  func expectEvents(
    _ first: Int = 1, through last: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let deadline = Deadline(after: .seconds(30))
    var positions: [Int] = []
    while positions.count <= last - first {
      let event = try #require(try readEvent(by: deadline), sourceLocation: sourceLocation)
      // Without an event there are comments only.
      if event.event == nil { continue }
      #expect(event.event != "reset", sourceLocation: sourceLocation)
      positions.append(try #require(event.position, sourceLocation: sourceLocation))
    }
    #expect(positions == Array(first...last), sourceLocation: sourceLocation)
  }
}

extension EventBlock {
  /// The position in the id; `nil` without an id.
  var position: Int? { id?.split(separator: "-").last.flatMap { Int($0) } }
}

extension ContinuousClock.Instant {
  /// In ten seconds.
  static var soon: ContinuousClock.Instant { .now + .seconds(10) }
}
