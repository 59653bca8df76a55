import MailingList
import TestSupport
import Testing

@testable import SQLiteStorage

@Suite struct TallyStoreTests {
  @Test func `each event is counted once`() async throws {
    try await withStore { store, _ in
      try await StoreUnderTest.sqlite(store).expectTallies(of: store, and: store) { position in
        try store.withConnection { db in
          try db.execute("DELETE FROM events WHERE position <= \(position)")
        }
      }
    }
  }

  @Test func `a log that begins anew is counted from its oldest event`() async throws {
    try await withStore { store, _ in
      let test = StoreUnderTest.sqlite(store)
      try await test.add(try .sample("ana@example.org"))
      _ = try await store.countEvents().values()
      try store.withConnection { db in try db.execute("UPDATE consumers SET position = 7") }
      #expect(try await store.countEvents().values() == [1])
      #expect(try await store.countEvents().values().isEmpty)
    }
  }
}
