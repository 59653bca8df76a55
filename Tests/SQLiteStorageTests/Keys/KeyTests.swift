import MailingList
import TestSupport
import Testing

@testable import SQLiteStorage

@Suite struct KeyTests {
  @Test(arguments: KeyStoreConformance.promises)
  func `the SQLite store keeps every promise of a store of keys`(
    _ promise: KeyStoreConformance.Promise
  ) async throws {
    try await withStore { store, folder in
      let administration = try ListKeyAdministration(CommandDatabase(path: folder.database))
      try await promise.check(KeysUnderTest(store, administration))
    }
  }

  @Test func `a database that does not exist is not created for a key`() throws {
    let folder = try Folder()
    #expect(throws: StoreOpeningError.self) {
      _ = try ListKeyAdministration(CommandDatabase(path: folder.database))
    }
    #expect(try folder.files.isEmpty)
  }

  @Test func `a key of a later release is none, and keeps no other from being read`() async throws {
    try await withStore { store, folder in
      let administration = try ListKeyAdministration(CommandDatabase(path: folder.database))
      for id in ["00000001", "00000002"] { try administration.create(.sample(id)) }
      try store.withConnection { db in
        try db.execute("UPDATE keys SET scopes = 'metrics,later' WHERE id = '00000001'")
      }
      let keys = KeysUnderTest(store, administration)
      #expect(try await keys.read("00000001") == nil)
      #expect(try await keys.read("00000002") == .sample("00000002"))
    }
  }

  @Test func `subscribers are counted by state`() async throws {
    try await withStore { store, _ in
      #expect(try await store.subscriberCounts().values() == [[:]])
      for name in ["ada", "bob", "eve"] {
        _ = try await store.add(try .sample("\(name)@example.org")).values()
      }
      try store.withConnection { db in
        try db.execute("UPDATE subscribers SET state = 2 WHERE address LIKE 'eve%'")
      }
      let counts = try await store.subscriberCounts().values()
      #expect(counts == [[.subscribed: 2, .unsubscribed: 1]])
      #expect((store.logBytes ?? 0) > 0)
      #expect(store.queuedSignUps == 0)
    }
  }
}
