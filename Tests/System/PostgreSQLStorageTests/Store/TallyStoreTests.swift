import TestSupport
import Testing

@testable import PostgreSQLStorage

@Suite(.needsPostgreSQL, .timeLimit(.minutes(15)))
struct TallyStoreTests {
  @Test func `each event is counted once by two replicas`() async throws {
    try await withStore { store, database in
      try await withStore(on: database) { other, _ in
        try await StoreUnderTest.postgresql(store, database).expectTallies(of: store, and: other) {
          try database.run(Query("DELETE FROM enlist.events WHERE position <= \($0)"))
        }
      }
    }
  }
}
