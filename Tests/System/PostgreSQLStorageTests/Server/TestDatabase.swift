import TestSupport
import Testing

@testable import PostgreSQLStorage

/// A new database on the shared server.
struct TestDatabase {
  /// Where it is.
  let parameters: ConnectionParameters

  /// Creates a database.
  ///
  /// - Parameters:
  ///   - isMigrated: Whether it has the schema.
  ///   - options: What follows its name in `CREATE DATABASE`.
  ///   - server: The server; the shared one if there is none.
  init(isMigrated: Bool = true, options: String = "", on server: PostgreSQLServer? = .shared) throws
  {
    let server = try #require(server)
    let name = "test_\(UInt64.random(in: 0...UInt64.max))"
    let admin = try PostgreSQLSession(
      #require(ConnectionParameters(url: server.url(of: "postgres")).hosts.first), by: .soon)
    try admin.execute(Query("CREATE DATABASE \(name) \(options)"), by: .soon)
    try admin.execute(Query("REVOKE CONNECT ON DATABASE \(name) FROM PUBLIC"), by: .soon)
    parameters = try ConnectionParameters(url: server.url(of: name))
    if isMigrated { try SchemaMigrator().run(session(), by: .soon) }
  }

  /// Opens a session.
  ///
  /// - Returns: The session.
  func session() throws -> PostgreSQLSession {
    let session = try PostgreSQLSession(#require(parameters.hosts.first), by: .soon)
    _ = try session.prepare(statementTimeout: 8000, by: .soon)
    return session
  }
}

extension ContinuousClock.Instant {
  /// In ten seconds.
  static var soon: ContinuousClock.Instant { .now + .seconds(10) }
}
