import ListStorage
import MailingList
import TestSupport
import Testing

@testable import PostgreSQLStorage

@Suite(.needsPostgreSQL, .serialized, .timeLimit(.minutes(15)))
struct WebhookTests {
  @Test(arguments: WebhookConformance.promises)
  func `the PostgreSQL store keeps every promise of a store of webhooks`(
    _ promise: WebhookConformance.Promise
  ) async throws {
    try await withStore { store, _ in
      try await promise.check(
        WebhookConformance.Subject(store) { address in
          _ = try await store.add(try .sample(address)).values()
          // An event has its place only after the next round of the follower.
          while try await store.events(after: 0, limit: 1).values().first?.newest == 0 {}
        }
      )
    }
  }
}
