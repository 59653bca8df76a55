import Foundation
import Glibc
import Signals
import MailingList
import Security
import TestSupport
import Testing

@testable import PostgreSQLStorage

/// What becomes of a batch whose result does not arrive, although the server stores it.
@Suite(.needsPostgreSQL, .serialized)
struct LostResultTests {
  /// Makes the server take two seconds to commit an address that begins with `slow`.
  private static let delay = """
    CREATE FUNCTION public.delay() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.address LIKE 'slow%' THEN PERFORM pg_sleep(2); END IF; RETURN NEW; END $$;
    CREATE CONSTRAINT TRIGGER delay AFTER INSERT ON enlist.subscribers
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.delay()
    """

  private static func batch(_ signUps: SignUp...) throws -> SignUpBatch {
    let queued = Lock<[QueuedSignUp]>([])
    for signUp in signUps {
      Signal<Never, StoreError> { observer in
        queued.withLock { $0.append(QueuedSignUp(signUp, observer, until: .soon)) }
        return nil
      }
      .subscribe()
    }
    var random = RandomPool()
    return SignUpBatch(
      queued.withLock { $0 }, optIn: .single, keys: MailKeys(Keyring(Secret())), random: &random)
  }

  /// Cuts a socket as soon as the server is committing.
  ///
  /// It runs on a thread of its own, because the writer blocks that of the test.
  private static func cut(_ socket: Int32, of database: TestDatabase) {
    Thread { try? cutWhenBusy(socket, of: database) }.start()
  }

  private static func cutWhenBusy(_ socket: Int32, of database: TestDatabase) throws {
    try waitUntilBusy(database)
    shutdown(socket, Int32(SHUT_RDWR))
  }

  /// Waits until a session of the server waits for something.
  private static func waitUntilBusy(
    _ database: TestDatabase, with event: String = "PgSleep"
  ) throws {
    let busy = Query(
      """
      SELECT count(*) FROM pg_stat_activity
      WHERE $1 IN (wait_event, wait_event_type) AND datname = current_database()
      """
    ).binding(event)
    try eventually { try database.count(busy) > 0 }
  }

  @Test func `a batch that was cut off while it was committed is stored once`() throws {
    let database = try TestDatabase()
    try database.session().execute(script: Self.delay, by: .soon)
    let connection = PostgreSQLConnection(.init(parameters: database.parameters))
    let socket = try connection.ready(by: .soon).socket
    Self.cut(socket, of: database)
    let writer = SignUpWriter(connection: connection, deadline: .soon, endsAt: { nil })
    let outcomes = writer.store(
      try Self.batch(.sample("slow@example.org"), .sample("ada@example.org")))
    #expect(outcomes.all.map(\.error) == [nil, nil])
    #expect(try database.count(Query("SELECT count(*) FROM enlist.consents")) == 2)
    let payloads = "SELECT sum(cardinality(payloads))::bigint FROM enlist.status_pending"
    #expect(try database.count(Query(payloads)) == 4)
    #expect(!connection.state.hasSent)
  }

  @Test func `a batch whose result does not arrive by the deadline is undetermined`() throws {
    let database = try TestDatabase()
    try database.session().execute(script: Self.delay, by: .soon)
    let connection = PostgreSQLConnection(.init(parameters: database.parameters))
    _ = try connection.ready(by: .soon)
    let writer = SignUpWriter(
      connection: connection, deadline: .now + .milliseconds(300), endsAt: { nil })
    let signUp = try SignUp.sample("slow@example.org")
    #expect(writer.store(try Self.batch(signUp)).all.map(\.error) == [.undetermined])
    // The server stores it all the same; sent again, it is still stored once.
    let again = SignUpWriter(connection: connection, deadline: .soon, endsAt: { nil })
    #expect(again.store(try Self.batch(.sample("eve@example.org"))).all.map(\.error) == [nil])
    let stored = Query("SELECT count(*) FROM enlist.consents WHERE id = $1").binding(
      signUp.id.bytes)
    try eventually { try database.count(stored) > 0 }
    #expect(again.store(try Self.batch(signUp)).all.map(\.error) == [nil])
    #expect(try database.count(stored) == 1)
  }

  @Test func `a change that is cut off while it is committed is not known, and not made again`()
    async throws
  {
    try await Self.withStoreBehindProxy { store, database, proxy in
      try database.session().execute(script: Self.delay, by: .soon)
      Thread {
        try? Self.waitUntilBusy(database)
        proxy.cut()
        proxy.heal()
      }.start()
      let change = try Self.addingSlowPerson(to: store)
      await #expect(throws: StoreError.undetermined) { try await change.last() }
      let people = Query("SELECT count(*) FROM enlist.subscribers")
      try eventually { try database.count(people) > 0 }
      let events = try database.count(
        Query(
          """
          SELECT (SELECT count(*) FROM enlist.events)
            + (SELECT coalesce(sum(cardinality(events)), 0)::bigint FROM enlist.status_pending)
          """
        ))
      #expect(events == 1)
    }
  }

  @Test func `a change whose session has ended before is made in a new one`() async throws {
    try await withStore { store, database in
      let ended = try database.count(
        Query(
          """
          SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid()
          """
        ))
      #expect(ended > 0)
      #expect(try await Self.addingSlowPerson(to: store).last()?.first == .new)
      #expect(try database.count(Query("SELECT count(*) FROM enlist.subscribers")) == 1)
    }
  }

  /// Behind the first lock a change waits with its reads, and behind the other one with its rows.
  @Test(
    arguments: [
      ("ACCESS EXCLUSIVE", "connection", nil), ("ACCESS EXCLUSIVE", "server", nil),
      ("SHARE", "server", .undetermined),
    ] as [(String, String, StoreError?)]
  )
  func `a change whose session ends is made in a new one only if it has written nothing`(
    lock: String, endedBy: String, error: StoreError?
  ) async throws {
    try await Self.withStoreBehindProxy { store, database, proxy in
      let other = try database.session()
      try other.execute(
        script: "BEGIN; LOCK TABLE enlist.subscribers IN \(lock) MODE", by: .soon)
      let change = try Self.addingSlowPerson(to: store).replayLazily()
      change.subscribe()
      try Self.waitUntilBusy(database, with: "Lock")
      if endedBy == "connection" {
        proxy.cut()
        proxy.heal()
      } else {
        let end = Query(
          """
          SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
          WHERE wait_event_type = 'Lock' AND datname = current_database()
          """
        )
        #expect(try database.count(end) == 1)
      }
      try other.execute(Query("COMMIT"), by: .soon)
      let outcome = await change.collected()
      #expect(outcome == error.map { .failure($0) } ?? .success([[.new]]))
      let people = Query("SELECT count(*) FROM enlist.subscribers")
      #expect(try database.count(people) == (error == nil ? 1 : 0))
    }
  }

  /// Opens a store whose connections a proxy can cut, and closes it after a test.
  private static func withStoreBehindProxy(
    _ body: (PostgreSQLSubscriberStore, TestDatabase, TestProxy) async throws -> Void
  ) async throws {
    let server = try PostgreSQLServer(listens: true)
    let database = try TestDatabase(on: server)
    let proxy = try TestProxy(to: server.port)
    let name = try database.run(Query("SELECT current_database()::text")).required(
      0, 0, as: String.self)
    let parameters = try ConnectionParameters(
      url: "postgres://\(PostgreSQLServer.role)@127.0.0.1:\(proxy.port)/\(name)")
    let store = try PostgreSQLSubscriberStore(parameters)
    try await body(store, database, proxy)
    await store.close().ended()
    withExtendedLifetime(server) {}
  }

  /// Makes a change, whose commit may be delayed.
  private static func addingSlowPerson(
    to store: PostgreSQLSubscriberStore
  ) throws -> Signal<[ImportResult], StoreError> {
    let person = try ImportedPerson.sample(
      "slow@example.org", Membership(state: .pending), at: .now)
    return store.add([person], by: .command, at: .now)
  }

  @Test func `without a server nothing was sent`() throws {
    let parameters = try ConnectionParameters(url: "postgres://u@%2Fnonexistent/list")
    let writer = SignUpWriter(
      connection: PostgreSQLConnection(.init(parameters: parameters)),
      deadline: .now + .milliseconds(200), endsAt: { nil })
    let outcomes = writer.store(try Self.batch(.sample("ada@example.org")))
    #expect(outcomes.all.map(\.error) == [.unreachable])
    #expect(!outcomes.mayHaveMessages)
  }
}
