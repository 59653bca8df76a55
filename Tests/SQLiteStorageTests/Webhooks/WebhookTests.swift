import MailingList
import TestSupport
import Testing

@testable import SQLiteStorage

@Suite struct WebhookTests {
  @Test(arguments: WebhookConformance.promises)
  func `the SQLite store keeps every promise of a store of webhooks`(
    _ promise: WebhookConformance.Promise
  ) async throws {
    try await withStore { store, _ in
      try await promise.check(
        WebhookConformance.Subject(store) { address in
          _ = try await store.add(try .sample(address)).values()
        }
      )
    }
  }

  @Test func `enabling says how many events are gone, and begins elsewhere`() async throws {
    try await withStore { store, _ in
      for name in ["ana", "bob", "eve"] {
        _ = try await store.add(try .sample("\(name)@example.org")).values()
      }
      let webhook = Webhook(url: "https://example.org/", createdAt: .now)
      let created = try await store.change(.create(webhook, from: .earliest), at: .now).values()
      guard case .changed(_, let epoch) = created.first else {
        Issue.record("not created")
        return
      }
      try store.withConnection { db in try db.execute("DELETE FROM events WHERE position < 3") }
      func enable(from start: WebhookStart?) async throws -> WebhookChangeResult? {
        try await store.change(.enable(id: webhook.id, from: start), at: .now).values().first
      }
      #expect(try await enable(from: nil) == .expired(2))
      #expect(try await enable(from: .after(EventID(epoch: epoch, position: 1))) == .expired(1))
      guard case .changed(let enabled, _) = try await enable(from: .earliest) else {
        Issue.record("not enabled")
        return
      }
      #expect(enabled.position == 2)
    }
  }

  @Test func `an erasure deletes the stored responses of receivers`() async throws {
    try await withStore { store, folder in
      _ = try await store.add(try .sample("ana@example.org")).values()
      try store.withConnection { db in
        try db.execute(
          """
          INSERT INTO webhook_attempts(webhook_id, n, position, subscriber_id, at, duration, result,
            response) VALUES ('a', 1, 1, 1, 0, 0, 'status', 'ana@example.org is not wanted')
          """
        )
      }
      _ = try await store.erase(1, leaving: .imports, by: .command, at: .now).values()
      let attempts = try await store.attempts(ofWebhook: "a").values()
      #expect(attempts.joined().map(\.response) == [nil])
    }
  }
}
