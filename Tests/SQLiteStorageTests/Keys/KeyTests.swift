import GRDB
import MailingList
import Signals
import TestSupport
import Testing

@testable import SQLiteStorage

@Suite(.timeLimit(.minutes(15))) struct KeyTests {
  private let start = Timestamp(millisecondsSince1970: 1_800_000_000_000)

  private func key(
    _ id: String = "00000001",
    scopes: Set<KeyScope> = [.metrics, .read],
    createdAt: Timestamp? = nil,
    expiresAt: Timestamp? = nil
  ) -> StoredKey {
    StoredKey(
      id: id,
      name: "prometheus",
      scopes: scopes,
      hash: Array(repeating: 7, count: 32),
      createdAt: createdAt ?? start,
      expiresAt: expiresAt
    )
  }

  private func read(_ id: String, in store: SQLiteSubscriberStore) async throws -> StoredKey? {
    try #require(try await store.key(id).values().first)
  }

  @Test func `a key that another process has created is read at once`() async throws {
    try await withStore { store, folder in
      let keys = try SQLiteKeyAdministration(path: folder.database)
      #expect(try await read("00000001", in: store) == nil)
      let expiring = key(expiresAt: start.adding(.seconds(60)))
      try keys.create(expiring)
      #expect(try await read("00000001", in: store) == expiring)
      #expect(expiring.status(at: start) == .valid)
      #expect(expiring.status(at: start.adding(.seconds(60))) == .expired)
      #expect(try keys.keys() == [expiring])
    }
  }

  @Test func `a revoked key stays revoked, and its revocation is read at once`() async throws {
    try await withStore { store, folder in
      let keys = try SQLiteKeyAdministration(path: folder.database)
      try keys.create(key())
      #expect(try keys.revoke("00000001", at: start.adding(.seconds(1))))
      #expect(try !keys.revoke("00000001", at: start.adding(.seconds(2))))
      let stored = try #require(try await read("00000001", in: store))
      #expect(stored.revokedAt == start.adding(.seconds(1)))
      #expect(stored.status(at: start) == .revoked)
      #expect(throws: KeyAdministrationError.unknown(id: "00000002")) {
        _ = try keys.revoke("00000002", at: start)
      }
    }
  }

  @Test func `the last use is stored to the minute, and the origin of a page stays`() async throws {
    try await withStore { store, folder in
      try SQLiteKeyAdministration(path: folder.database).create(key())
      let page = KeyUse(
        of: "00000001",
        at: start.adding(.milliseconds(61_234)),
        from: "192.0.2.0/24",
        origin: "https://example.org"
      )
      _ = try await store.record(page).values()
      let later = KeyUse(of: "00000001", at: start.adding(.seconds(120)), from: "2001:db8:1::/48")
      let before = try #require(try await read("00000001", in: store))
      #expect(page.isKnown(to: before))
      #expect(!later.isKnown(to: before))
      _ = try await store.record(later).values()
      let stored = try #require(try await read("00000001", in: store))
      #expect(before.lastUsedAt == start.adding(.seconds(60)))
      #expect(before.lastUsedFrom == "192.0.2.0/24")
      #expect(stored.lastUsedAt == start.adding(.seconds(120)))
      #expect(stored.lastUsedFrom == "2001:db8:1::/48")
      #expect(stored.lastOrigin == "https://example.org")
      // A key that was deleted meanwhile changes nothing.
      _ = try await store.record(KeyUse(of: "none", at: start, from: nil)).values()
    }
  }

  @Test func `a hundred keys can be valid at a time`() async throws {
    try await withStore { _, folder in
      let keys = try SQLiteKeyAdministration(path: folder.database)
      try keys.create(key("expired", expiresAt: start.adding(.seconds(1))))
      let later = start.adding(.seconds(2))
      for number in 0..<KeyLimit.maximumCount {
        try keys.create(key("\(number)", createdAt: later))
      }
      #expect(throws: KeyAdministrationError.tooMany) {
        try keys.create(key("more", createdAt: later))
      }
      #expect(try keys.revoke("7", at: later))
      try keys.create(key("more", createdAt: later))
      #expect(throws: KeyAdministrationError.self) { try keys.create(key("8", createdAt: later)) }
      #expect(try keys.keys().count == KeyLimit.maximumCount + 2)
    }
  }

  @Test func `a key with the id of another is not stored`() async throws {
    try await withStore { _, folder in
      let keys = try SQLiteKeyAdministration(path: folder.database)
      try keys.create(key())
      #expect(throws: KeyAdministrationError.exists) { try keys.create(key(scopes: [.write])) }
      #expect(try keys.keys().map(\.scopes) == [[.metrics, .read]])
    }
  }

  @Test func `subscribers are counted by state`() async throws {
    try await withStore { store, _ in
      #expect(try await store.subscriberCounts().values() == [[:]])
      for name in ["ada", "bob", "eve"] {
        _ = try await store.add(try .sample("\(name)@example.org")).values()
      }
      try store.withConnection { db in
        try db.execute(sql: "UPDATE subscribers SET state = 2 WHERE address LIKE 'eve%'")
      }
      #expect(
        try await store.subscriberCounts().values() == [[.subscribed: 2, .unsubscribed: 1]]
      )
      #expect((store.logBytes ?? 0) > 0)
      #expect(store.queuedSignUps == 0)
    }
  }
}
