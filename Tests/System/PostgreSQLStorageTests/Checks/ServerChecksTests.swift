import TestSupport
import Testing

@testable import PostgreSQLStorage

@Suite(.needsPostgreSQL)
struct ServerChecksTests {
  @Test func `a session sets its settings and reads them back`() throws {
    let session = try TestDatabase(isMigrated: false).session()
    let facts = try session.prepare(statementTimeout: 1234, by: .soon)
    #expect(facts.rejection(statementTimeout: 1234) == nil)
    #expect(facts.version >= ServerFacts.oldestVersion)
    #expect(facts.backendID == session.backendID)
    #expect(try !session.isProxied(by: .soon))
  }

  @Test func `a database to which every role may connect is reported`() throws {
    let session = try TestDatabase(isMigrated: false).session()
    func warnings() throws -> [ServerWarning] {
      try session.prepare(statementTimeout: 1000, by: .soon).warnings(hasWeakTLS: false)
    }
    #expect(try !warnings().contains(.publicConnect))
    let name = try session.execute(Query("SELECT current_database()::text"), by: .soon)
      .required(0, 0, as: String.self)
    try session.execute(script: "GRANT CONNECT ON DATABASE \(name) TO PUBLIC", by: .soon)
    #expect(try warnings().contains(.publicConnect))
  }

  @Test(arguments: ["DATABASE", "ROLE"])
  func `commits are synchronous even if the database or the role says otherwise`(
    _ kind: String
  ) throws {
    let database = try TestDatabase(isMigrated: false)
    let session = try database.session()
    let name = try session.execute(Query("SELECT current_database()::text"), by: .soon)
      .required(0, 0, as: String.self)
    // The role of the other tests must not change.
    try session.execute(script: "CREATE ROLE \(name) LOGIN", by: .soon)
    try session.execute(script: "GRANT CONNECT ON DATABASE \(name) TO \(name)", by: .soon)
    for setting in ["synchronous_commit = off", "default_transaction_isolation = serializable"] {
      try session.execute(script: "ALTER \(kind) \(name) SET \(setting)", by: .soon)
    }
    var parameters = database.parameters
    parameters.replace("user", by: name)
    let changed = try PostgreSQLSession(#require(parameters.hosts.first), by: .soon)
    let before = try changed.execute(
      Query("SELECT current_setting('synchronous_commit'), current_user::text"), by: .soon)
    #expect(try before.required(0, 0, as: String.self) == "off")
    #expect(try before.required(0, 1, as: String.self) == name)
    let facts = try changed.prepare(statementTimeout: 1000, by: .soon)
    #expect(facts.synchronousCommit == "on")
    #expect(facts.isolation == "read committed")
    #expect(facts.rejection(statementTimeout: 1000) == nil)
  }

  @Test func `no timeout of the database ends a session, a statement or a copy`() throws {
    let database = try TestDatabase(isMigrated: false)
    let session = try database.session()
    let name = try session.execute(Query("SELECT current_database()::text"), by: .soon)
      .required(0, 0, as: String.self)
    // The last one is that of version 17.
    let timeouts = "('idle_session_timeout', 'lock_timeout', 'transaction_timeout')"
    let known = try session.execute(
      Query("SELECT name FROM pg_settings WHERE name IN \(timeouts)"), by: .soon)
    for row in 0..<known.count {
      let setting = try known.required(row, 0, as: String.self)
      try session.execute(script: "ALTER DATABASE \(name) SET \(setting) = 60000", by: .soon)
    }
    let set = Query(
      "SELECT count(*) FROM pg_settings WHERE name IN \(timeouts) AND setting <> '0'")
    let raw = try PostgreSQLSession(#require(database.parameters.hosts.first), by: .soon)
    #expect(try raw.execute(set, by: .soon).required(0, 0) == Int64(known.count))
    let prepared = try database.session()
    #expect(try prepared.execute(set, by: .soon).required(0, 0) == Int64(0))
  }

  @Test func `the server ends a session that stops within a transaction after ten seconds`() throws
  {
    let session = try TestDatabase(isMigrated: false).session()
    let setting = Query("SELECT current_setting('idle_in_transaction_session_timeout')")
    #expect(try session.execute(setting, by: .soon).required(0, 0, as: String.self) == "10s")
  }

  @Test func `a read-only database is rejected`() throws {
    let database = try TestDatabase(isMigrated: false)
    let session = try database.session()
    try session.execute(Query("SET default_transaction_read_only = on"), by: .soon)
    let facts = try session.prepare(statementTimeout: 1000, by: .soon)
    #expect(facts.rejection(statementTimeout: 1000) == .readOnly)
  }

  @Test func `a database with another encoding is rejected`() throws {
    let database = try TestDatabase(
      isMigrated: false, options: "ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    let facts = try database.session().prepare(statementTimeout: 1000, by: .soon)
    #expect(facts.rejection(statementTimeout: 1000) == .encoding("LATIN1"))
  }

  @Test func `a direct connection keeps its settings and hears notifications`() throws {
    let database = try TestDatabase(isMigrated: false)
    let (first, second) = (try database.session(), try database.session())
    let third = try database.session()
    #expect(try first.keepsSettings(besides: [second, third], marker: "a1", by: .soon))
    #expect(try first.hears(second, marker: "b2", by: .soon))
  }
}
