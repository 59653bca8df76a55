import Dispatch
import Signals
import MailingList
import TestSupport
import Testing

@testable import PostgreSQLStorage

@Suite(.needsPostgreSQL, .serialized)
struct KeyTests {
  @Test(arguments: KeyStoreConformance.promises)
  func `the PostgreSQL store keeps every promise of a store of keys`(
    _ promise: KeyStoreConformance.Promise
  ) async throws {
    try await withStore { store, database in
      let administration = try ListKeyAdministration(CommandConnection(database.parameters))
      try await promise.check(KeysUnderTest(store, administration))
    }
  }

  @Test func `an older schema is not migrated for a key`() throws {
    let database = try TestDatabase()
    // As if there were an older version.
    try database.run(Query("UPDATE enlist.schema_migrations SET version = 0"))
    #expect(
      throws: PostgreSQLOpeningError.schemaOlder(
        location: "\(database.parameters)", found: 0, known: SchemaMigrator().latest)
    ) { try ListKeyAdministration(CommandConnection(database.parameters)) }
  }

  @Test func `a key of a later release is none, and keeps no other from being read`() async throws {
    try await withStore { store, database in
      let administration = try ListKeyAdministration(CommandConnection(database.parameters))
      for id in ["00000001", "00000002"] { try administration.create(.sample(id)) }
      try database.run(
        Query("UPDATE enlist.keys SET scopes = 'metrics,later' WHERE id = '00000001'"))
      let keys = KeysUnderTest(store, administration)
      #expect(try await keys.read("00000001") == nil)
      #expect(try await keys.read("00000002") == .sample("00000002"))
    }
  }

  @Test func `subscribers are counted by state`() async throws {
    try await withStore { store, database in
      #expect(try await store.subscriberCounts().values() == [[:]])
      for name in ["ada", "bob", "eve"] {
        _ = try await store.add(try .sample("\(name)@example.org")).values()
      }
      try database.run(Query("UPDATE enlist.subscribers SET state = 2 WHERE address LIKE 'eve%'"))
      let counts = try await store.subscriberCounts().values()
      #expect(counts == [[.subscribed: 2, .unsubscribed: 1]])
      // A part may end with the list, or before it.
      for size in 1...4 {
        #expect(
          try await store.subscriberCounts(after: .min, inPartsOf: size).values() == counts,
          "\(size)")
      }
      #expect(store.logBytes == nil)
      #expect(store.queuedSignUps == 0)
    }
  }

  @Test func `others read while subscribers are counted`() async throws {
    try await withStore { store, _ in
      for name in ["ada", "bob", "eve"] {
        _ = try await store.add(try .sample("\(name)@example.org")).values()
      }
      // Both wait behind a read that waits for the test.
      let gate = DispatchSemaphore(value: 0)
      let isCounted = Lock(false)
      let first = store.access.reads.read { _ in gate.wait() }.replay()
      let counts = store.subscriberCounts(after: .min, inPartsOf: 1)
        .do(next: { _ in isCounted.withLock { $0 = true } }).replay()
      let other = store.access.reads.read { _ in isCounted.withLock { $0 } }.replay()
      gate.signal()
      #expect(try await other.values() == [false])
      #expect(try await counts.values() == [[.subscribed: 3]])
      _ = try await first.values()
    }
  }
}
