import MailingList
import TestSupport
import Testing

@testable import PostgreSQLStorage

@Suite(.needsPostgreSQL, .serialized)
struct WebhookTests {
  @Test(arguments: WebhookConformance.promises)
  func `the PostgreSQL store keeps every promise of a store of webhooks`(
    _ promise: WebhookConformance.Promise
  ) async throws {
    try await withStore { store, database in
      try await promise.check(
        WebhookConformance.Subject(store) { address in
          _ = try await store.add(try .sample(address)).values()
          // The follower does the same in its next round.
          try database.run(Query("SELECT numbered FROM enlist.number_pending('{}', 0)"))
        }
      )
    }
  }
}
