import EmailAddresses
import Signals
import MailingList
import Security
import TestSupport
import Testing

@testable import PostgreSQLStorage

/// What becomes of sign-ups when the server, or the way to it, fails.
@Suite(.needsPostgreSQL, .serialized)
struct WritingTests {
  private static func signUp(_ address: String, text: String? = nil) throws -> SignUp {
    try .sample(address, consent: Consent(text: text))
  }

  /// Stores sign-ups at the same time, and returns their outcomes in order.
  private static func add(
    _ signUps: [SignUp], to store: PostgreSQLSubscriberStore
  ) async -> [StoreError?] {
    await withTaskGroup(of: (Int, StoreError?).self) { group in
      for (index, signUp) in signUps.enumerated() {
        group.addTask {
          do throws(StoreError) {
            _ = try await store.add(signUp).values()
            return (index, nil)
          } catch {
            return (index, error)
          }
        }
      }
      var errors = [StoreError?](repeating: nil, count: signUps.count)
      for await (index, error) in group { errors[index] = error }
      return errors
    }
  }

  @Test func `a member with a zero character is stored with its neighbors`() async throws {
    try await withStore { store, database in
      let signUps = try (0..<20).map {
        try Self.signUp("p\($0)@example.org", text: $0 == 7 ? "a\0b" : "text")
      }
      #expect(await Self.add(signUps, to: store).allSatisfy { $0 == nil })
      let query = Query("SELECT count(*) FROM enlist.consents WHERE text = $1")
      #expect(try database.count(query.binding("a\u{FFFD}b")) == 1)
    }
  }

  @Test func `only the member that a trigger rejects fails`() async throws {
    try await withStore { store, database in
      try database.session().execute(
        script: """
          CREATE FUNCTION public.reject() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF NEW.text = 'bad' THEN RAISE EXCEPTION 'no'; END IF; RETURN NEW; END $$;
          CREATE TRIGGER reject BEFORE INSERT ON enlist.consents
            FOR EACH ROW EXECUTE FUNCTION public.reject()
          """,
        by: .soon
      )
      let signUps = try (0..<40).map {
        try Self.signUp("p\($0)@example.org", text: $0 == 9 ? "bad" : "good")
      }
      let errors = await Self.add(signUps, to: store)
      #expect(errors[9] == .rejected(state: "P0001"))
      #expect(errors.count { $0 == nil } == 39)
      #expect(try database.count(Query("SELECT count(*) FROM enlist.subscribers")) == 39)
    }
  }

  @Test func `a commit that the server rejects is known to have stored nothing`() async throws {
    try await withStore { store, database in
      try database.session().execute(
        script: """
          CREATE FUNCTION public.reject() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF NEW.text = 'bad' THEN RAISE EXCEPTION 'no'; END IF; RETURN NEW; END $$;
          CREATE CONSTRAINT TRIGGER reject AFTER INSERT ON enlist.consents
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.reject()
          """,
        by: .soon
      )
      let bad = try Self.signUp("ada@example.org", text: "bad")
      #expect(await Self.add([bad], to: store) == [.rejected(state: "P0001")])
      let good = try Self.signUp("ada@example.org", text: "good")
      #expect(await Self.add([good], to: store) == [nil])
      #expect(try database.count(Query("SELECT count(*) FROM enlist.consents")) == 1)
    }
  }

  @Test func `sign-ups are stored once when backends are killed`() async throws {
    try await withStore { store, database in
      let terminate = Query(
        """
        SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()
        """
      )
      var stored = 0
      for round in 0..<30 {
        let signUps = try (0..<8).map { try Self.signUp("r\(round)p\($0)@example.org") }
        let killing = Task { _ = try database.run(terminate) }
        let errors = await Self.add(signUps, to: store)
        try await killing.value
        stored += errors.count { $0 == nil }
        #expect(errors.allSatisfy { $0 == nil }, "\(errors)")
      }
      #expect(try database.count(Query("SELECT count(*) FROM enlist.consents")) == stored)
      let payloads = "SELECT sum(cardinality(payloads))::bigint FROM enlist.status_pending"
      #expect(try database.count(Query(payloads)) == 2 * stored)
    }
  }

  @Test func `a sign-up loses while another replica stores the same address`() async throws {
    try await withStore { store, database in
      let address = try EmailAddress.sample("ada@example.org")
      let other = try database.session()
      try other.execute(Query("BEGIN"), by: .soon)
      let lock = Query("SELECT pg_advisory_xact_lock(enlist.address_lock($1))::text")
      let hash = try #require(MailKeys(store.keyring).suppressions(address.key).first)
      try other.execute(lock.binding(hash), by: .soon)
      let start = ContinuousClock.now
      let errors = await Self.add(
        [try Self.signUp("ada@example.org"), try Self.signUp("eve@example.org")], to: store)
      #expect(errors == [.executing, nil])
      #expect(ContinuousClock.now - start < .seconds(2))
      // A race that is lost alone is no failure of the store.
      #expect(await Self.add([try Self.signUp("ada@example.org")], to: store) == [.executing])
      #expect(try await store.probe().values().isEmpty)
      try other.execute(Query("COMMIT"), by: .soon)
      #expect(await Self.add([try Self.signUp("ada@example.org")], to: store) == [nil])
    }
  }

  @Test func `a locked table fails sign-ups in time, and nothing is stored`() async throws {
    try await withStore(.init(timeout: .seconds(2))) { store, database in
      let other = try database.session()
      try other.execute(Query("BEGIN"), by: .soon)
      try other.execute(Query("LOCK TABLE enlist.subscribers IN EXCLUSIVE MODE"), by: .soon)
      #expect(await Self.add([try Self.signUp("ada@example.org")], to: store) == [.locked])
      try other.execute(Query("COMMIT"), by: .soon)
      #expect(await Self.add([try Self.signUp("ada@example.org")], to: store) == [nil])
      #expect(try database.count(Query("SELECT count(*) FROM enlist.consents")) == 1)
    }
  }

  @Test func `behind locked tables no sign-up waits for a second longer than the timeout`()
    async throws
  {
    let timeout = Duration.seconds(3)
    try await withStore(.init(timeout: timeout, deliverOn: QueueScheduler.background)) {
      store,
      database in
      let other = try database.session()
      try other.execute(Query("SET idle_in_transaction_session_timeout = 0"), by: .soon)
      try other.execute(Query("BEGIN"), by: .soon)
      try other.execute(
        Query("LOCK TABLE enlist.subscribers, enlist.tokens IN ACCESS EXCLUSIVE MODE"), by: .soon)
      let waits = await withTaskGroup(of: Duration.self) { group in
        for number in 0..<600 {
          // Changes wait next to the sign-ups.
          if number % 100 == 0 {
            group.addTask {
              let request = MembershipRequest(at: .now)
              _ = try? await store.confirm([UInt8(number / 100)], request).values()
              return .zero
            }
          }
          group.addTask {
            let begin = ContinuousClock.now
            _ = try? await store.add(.sample("p\(number)@example.org")).values()
            return .now - begin
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      let longest = waits.max() ?? .zero
      #expect(longest < timeout + .seconds(1), "\(longest)")
      try other.execute(Query("COMMIT"), by: .soon)
      #expect(await Self.add([try Self.signUp("ada@example.org")], to: store) == [nil])
    }
  }

  @Test func `the server's switch to read-only fails sign-ups until it is reset`() async throws {
    try await withStore(.init(timeout: .seconds(2))) { store, database in
      let name = try database.run(Query("SELECT current_database()::text"))
        .required(0, 0, as: String.self)
      let admin = try database.session()
      try admin.execute(
        script: "ALTER DATABASE \(name) SET default_transaction_read_only = on", by: .soon)
      // Sessions that are open keep their setting.
      try admin.execute(
        script: """
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid()
          """,
        by: .soon
      )
      try await eventually { (try? await store.probe().values()) == nil }
      let errors = await Self.add([try Self.signUp("ada@example.org")], to: store)
      #expect(errors == [.readOnly])
      await #expect(throws: StoreError.self) { try await store.probe().values() }
      try admin.execute(
        script: "ALTER DATABASE \(name) RESET default_transaction_read_only", by: .soon)
      try await eventually {
        await Self.add([try Self.signUp("eve@example.org")], to: store) == [nil]
      }
      #expect(try await store.probe().values().isEmpty)
    }
  }

  @Test func `a full queue rejects, and finishing fails what was not sent`() async throws {
    let configuration = PostgreSQLSubscriberStore.Configuration(
      timeout: .seconds(4), maximumQueued: 1, deliverOn: QueueScheduler.background)
    try await withStore(configuration) { store, database in
      let other = try database.session()
      try other.execute(Query("BEGIN"), by: .soon)
      try other.execute(Query("LOCK TABLE enlist.subscribers IN EXCLUSIVE MODE"), by: .soon)
      let outcomes = Lock<[String: StoreError?]>([:])
      func add(_ address: String) throws {
        store.add(try Self.signUp(address)).subscribe(
          failed: { error in outcomes.withLock { $0[address] = error } },
          completed: { outcomes.withLock { $0[address] = StoreError?.none } })
      }
      try add("sent@example.org")
      let waiting = Query(
        "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation::regclass::text LIKE '%subscr%'"
      )
      try eventually { try database.count(waiting) > 0 }
      try add("queued@example.org")
      try add("rejected@example.org")
      #expect(outcomes.withLock { $0["rejected@example.org"] } == .some(.overloaded))
      await store.finish(within: .milliseconds(300)).ended()
      #expect(outcomes.withLock { $0["queued@example.org"] } == .some(.closed))
      #expect(outcomes.withLock { $0["sent@example.org"] } == .some(.locked))
      try other.execute(Query("COMMIT"), by: .soon)
    }
  }
}
