import MailingList
import TestSupport
import Testing

@testable import PostgreSQLStorage

@Suite(.needsPostgreSQL, .serialized, .timeLimit(.minutes(15)))
struct KeyTests {
  @Test(arguments: KeyStoreConformance.promises)
  func `the PostgreSQL store keeps every promise of a store of keys`(
    _ promise: KeyStoreConformance.Promise
  ) async throws {
    try await withStore { store, database in
      let administration = try PostgreSQLKeyAdministration(database.parameters)
      try await promise.check(KeysUnderTest(store, administration))
    }
  }

  @Test func `a schema without keys is not migrated for one`() throws {
    let database = try TestDatabase(isMigrated: false)
    let first = SchemaMigrator(migrations: Array(Migration.all.prefix(1)))
    try first.run(try database.session(), by: .soon)
    #expect(
      throws: PostgreSQLOpeningError.schemaOlder(
        location: "\(database.parameters)",
        found: 1,
        known: SchemaMigrator().latest
      )
    ) { try PostgreSQLKeyAdministration(database.parameters) }
    // The service adds them, and programs of version 1 go on.
    try SchemaMigrator().run(try database.session(), by: .soon)
    try first.run(try database.session(), by: .soon)
    #expect(try PostgreSQLKeyAdministration(database.parameters).keys() == [])
  }

  @Test func `subscribers are counted by state`() async throws {
    try await withStore { store, database in
      #expect(try await store.subscriberCounts().values() == [[:]])
      for name in ["ada", "bob", "eve"] {
        _ = try await store.add(try .sample("\(name)@example.org")).values()
      }
      try database.run(
        Query("UPDATE enlist.subscribers SET state = 2 WHERE address LIKE 'eve%'")
      )
      let counts = try await store.subscriberCounts().values()
      #expect(counts == [[.subscribed: 2, .unsubscribed: 1]])
      #expect(store.logBytes == nil)
      #expect(store.queuedSignUps == 0)
    }
  }
}
