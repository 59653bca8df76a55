import EmailAddresses
import MailingList
import Security
import Signals
import TestSupport
import Testing

@testable import PostgreSQLStorage

/// What a role can do that may connect to the database, but has no rights on the schema.
@Suite(.needsPostgreSQL)
struct StrangerTests {
  /// Opens a session of a new role without rights.
  private static func stranger(_ database: TestDatabase) throws -> PostgreSQLSession {
    let name = "stranger_\(UInt64.random(in: 0...UInt64.max))"
    let session = try database.session()
    try session.execute(script: "CREATE ROLE \(name)", by: .soon)
    try session.execute(script: "SET SESSION AUTHORIZATION \(name)", by: .soon)
    return session
  }

  @Test func `the locks of a sign-up do not reveal its address`() throws {
    let database = try TestDatabase()
    let (first, second) = (try database.session(), try Self.stranger(database))
    try first.execute(Query("BEGIN"), by: .soon)
    #expect(try ListUnderTest.signUp(.double, first) == true)
    let locks = Query(
      """
      SELECT count(*), count(*) FILTER (
        WHERE (classid::bigint << 32 | objid::bigint) = hashtextextended($1, 1)
      ) FROM pg_locks WHERE locktype = 'advisory' AND pid = $2
      """
    ).binding(ListUnderTest.key).binding(first.backendID)
    let row = try second.execute(locks, by: .soon)
    #expect(try row.required(0, 0, as: Int64.self) == 1)
    #expect(try row.required(0, 1, as: Int64.self) == 0)
  }

  @Test func `a role without rights holds up neither an address nor the status log`() async throws {
    try await withStore(.init(deliverOn: QueueScheduler.background)) { store, database in
      let replica = TestReplicaState()
      try #require(store.sharedStatusLog).follow(history: 100) { replica.receive($0) }
      let stranger = try Self.stranger(database)
      try stranger.execute(
        Query(
          """
          SELECT count(pg_advisory_lock(hashtextextended(name, seed)))
          FROM (VALUES ($1, 1), ('status_log', 2)) AS guess(name, seed)
          """
        ).binding("ada@example.org"),
        by: .soon
      )
      for table in ["status_log", "status_pending", "status_numbering", "subscribers"] {
        #expect(throws: PostgreSQLError.self) {
          try stranger.execute(Query("SELECT FROM enlist.\(table) FOR UPDATE"), by: .soon)
        }
      }
      _ = try await store.add(.sample("ada@example.org")).values()
      try eventually(within: .seconds(5)) { replica.content.next == 3 }
    }
  }

  @Test func `replicas with another secret in use exclude each other while it is replaced`() throws
  {
    let database = try TestDatabase()
    let (first, second) = (try database.session(), try database.session())
    try first.execute(Query("BEGIN"), by: .soon)
    #expect(try ListUnderTest.signUp(.double, previousHash: [0xBB], first) == true)
    let lock = Query("SELECT pg_try_advisory_lock(enlist.address_lock($1))")
    for hash in [ListUnderTest.keyHash, [0xBB]] {
      let isFree = try second.execute(lock.binding(hash), by: .soon).required(0, 0, as: Bool.self)
      #expect(!isFree)
    }
    try first.execute(Query("COMMIT"), by: .soon)
  }
}
