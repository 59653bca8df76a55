import TestSupport
import Testing

@testable import PostgreSQLStorage

@Suite(.needsPostgreSQL)
struct TallyStoreTests {
  @Test func `each event is counted once by two replicas`() async throws {
    try await withStore { store, database in
      let session = try database.session()
      try await withStore(on: database) { other, _ in
        try await StoreUnderTest.postgresql(store, database).expectTallies(
          of: store,
          and: other,
          numberingWith: {
            try session.execute(Query("SELECT enlist.number_pending('{}', 0)"), by: .soon)
          },
          expire: { position in
            try session.execute(
              Query("DELETE FROM enlist.events WHERE position <= \(position)"), by: .soon)
          }
        )
      }
    }
  }
}
