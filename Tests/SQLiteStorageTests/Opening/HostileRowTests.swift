@testable import MailingList
import TestSupport
import Testing

@testable import SQLiteStorage

/// Tests of values that SQLite accepts, but that no release has written.
@Suite struct HostileRowTests {
  private static func adding(_ id: Int64) -> String {
    """
    INSERT INTO subscribers(id, address, address_key, state, created_at, updated_at)
      VALUES (\(id), 'eve@example.org', 'eve@example.org', 0, 0, 0)
    """
  }

  /// Makes a database with one subscriber, and changes its rows.
  private func makeDatabase(in folder: Folder, _ sql: String) async throws {
    let store = try SQLiteSubscriberStore(path: folder.database)
    try await _ = store.add(try .sample()).values()
    await store.close().ended()
    try Contents.change(folder.database, sql)
  }

  private static let largest: Int64 = 1 << 62

  @Test(arguments: [Int64.min, -1, 0, largest + 1, .max])
  func `an id of a subscriber outside 1 to 2⁶² is damage`(_ id: Int64) async throws {
    try await withFolder { folder in
      try await makeDatabase(in: folder, Self.adding(id))
      let reason = "a row of subscribers cannot be read"
      #expect(throws: BackupError.database(.damaged(path: folder.database, reason: reason))) {
        try SQLiteVerification.run(on: folder.database)
      }
    }
  }

  @Test(
    arguments: [
      adding(.min), adding(-1), adding(0), adding(largest), adding(largest + 1), adding(.max),
      "UPDATE subscriber_ids SET highest_deleted = \(Int64.max)",
    ]
  )
  func `the store rejects a list with an id out of range, or without a next one`(
    _ sql: String
  ) async throws {
    try await withFolder { folder in
      try await makeDatabase(in: folder, sql)
      let error = #expect(throws: StoreOpeningError.self) {
        try SQLiteSubscriberStore(path: folder.database)
      }
      guard case .damaged = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }

  @Test(arguments: [Int64.min, -1, 0, .max])
  func `a position of the event log outside its range ends no service`(
    _ position: Int64
  )
    async throws
  {
    try await withFolder { folder in
      try await makeDatabase(
        in: folder,
        """
        INSERT INTO webhooks(id, url, types, created_at, position)
          VALUES ('w', 'https://example.org', 'subscriber.*', 0, \(position));
        INSERT INTO webhook_pending(webhook_id, position, subscriber_id, attempts, next_at)
          VALUES ('w', \(position), 1, 0, 0);
        INSERT INTO consumers(name, position) VALUES ('tallies', \(position));
        UPDATE events SET position = \(position);
        """
      )
      let store = try SQLiteSubscriberStore(path: folder.database)
      for place in ["snapshot", "earliest", "e-\(Int64.max)", "e-0.1"] {
        _ = try await ListFeed(store, limit: 5).read(from: FeedPlace(place)).values()
      }
      _ = try await store.countEvents().values()
      _ = try await store.read { list throws(StoreError) in
        try list.webhookTable.webhooks()
      }.values()
      _ = try? await store.pendingEvents(ofWebhook: "w").values()
      _ = try? await store.change(.enable(id: "w", from: nil), at: .now).values()
      #expect(try await store.subscribers(after: nil, limit: 5).values().first?.count == 1)
      await store.close().ended()
    }
  }

  @Test func `the largest id is one that the list can contain`() async throws {
    try await withFolder { folder in
      try await makeDatabase(in: folder, Self.adding(Self.largest - 1))
      let store = try SQLiteSubscriberStore(path: folder.database)
      try await _ = store.add(try .sample("bob@example.org")).values()
      // No error names the row after the last one.
      #expect(try await store.purge().values() == [1])
      await store.close().ended()
      #expect(try SQLiteVerification.run(on: folder.database).subscribers == 2)
    }
  }

  @Test func `a stored number of rejections cannot overflow`() async throws {
    try await withStore { store, _ in
      try await _ = store.add(try .sample("ada@example.org")).values()
      let after = try store.withConnection { db in
        try db.execute("UPDATE subscribers SET rejections = \(Int64.max)")
        let members = try ListWriter.forTests(db, store).members(withKeys: ["ada@example.org"])
        return members.first??.membership.rejected(at: .now)
      }
      #expect(after?.state == .suppressed)
    }
  }
}
