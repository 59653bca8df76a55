import EmailAddresses
import Signals
import MailingList
import TestSupport
import Testing

@testable import SQLiteStorage

@Suite struct OutboxRowTests {
  private func rows(_ store: SQLiteSubscriberStore) throws -> [Int64] {
    try store.withConnection {
      try $0.file.numbers("SELECT queue FROM outbox ORDER BY created_at")
    }
  }

  /// Writes values that no release writes into all rows of a table.
  private func damage(_ change: String, _ store: SQLiteSubscriberStore) throws {
    try store.withConnection { try $0.execute("UPDATE \(change)") }
  }

  @Test func `with double opt-in every sign-up writes one row, with single opt-in none`()
    async throws
  {
    for (optIn, expected) in [(.double, [1, 1, 0, 0]), (.single, [])] as [(OptIn, [Int64])] {
      try await withStore(.init(optIn: optIn)) { store, _ in
        let address = "ada@example.org"
        let states: [Subscriber.State?] = [nil, .pending, .suppressed, .suppressed]
        for (index, state) in states.enumerated() {
          if let state {
            try StoreUnderTest.sqlite(store).setState(state, try .sample(address))
          }
          try await _ = store.add(try .sample(address, at: Int64(index))).values()
        }
        #expect(try rows(store) == expected)
      }
    }
  }

  @Test func `a row that sends nothing is announced like a mail`() async throws {
    try await withStore(.init(optIn: .double)) { store, _ in
      try await _ = store.add(try .sample(at: 1_800_000_000_000)).values()
      try StoreUnderTest.sqlite(store).setState(.suppressed, try .sample("ada@example.org"))
      var changes = store.outbox.changes.values.makeAsyncIterator()
      try await _ = store.add(try .sample(at: 1_800_000_000_001)).values()
      #expect(await changes.next() != nil)
      #expect(try rows(store) == [1, 0])
    }
  }

  @Test(
    arguments: [
      "outbox SET id = x''", "outbox SET id = x'00'", "outbox SET consent_id = x'00'",
      "outbox SET kind = 99", "subscribers SET state = 99", "subscribers SET suppression = 99",
    ]
  )
  func `a damaged row is deleted and counted, and the next mail is claimed`(
    change: String
  )
    async throws
  {
    try await withStore(.init(optIn: .double)) { store, _ in
      try await OutboxUnderTest.sqlite(store).expectNextMail(in: store) {
        try damage(change, store)
      }
      #expect(try rows(store) == [1])
    }
  }

  @Test func `a mail is settled even if its subscriber can no longer be read`() async throws {
    try await withStore(.init(optIn: .double)) { store, _ in
      let test = OutboxUnderTest.sqlite(store)
      for outcome in [DeliveryOutcome.sent, .rejected] {
        let address = "\(outcome)@example.org"
        try await _ = store.add(try .sample(address, at: 1_800_000_000_000)).values()
        let mail = try #require(try await test.claim(at: 1).mails.first)
        try damage("subscribers SET state = 99", store)
        let time = Timestamp(millisecondsSince1970: 1_800_000_002_000)
        try await test.settle(MailSettlement(mail, outcome, at: time))
        #expect(try rows(store) == [])
      }
    }
  }

  @Test func `a claim deletes a limited number of rows that send nothing`() async throws {
    try await withStore(.init(optIn: .double)) { store, _ in
      let count = ListWriter.maximumUnsent + 88
      try store.withConnection { db in
        try db.execute(
          """
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
          INSERT INTO outbox(
            queue, due_at, id, subscriber_id, consent_id, kind, created_at, mailbox
          ) SELECT 0, i, CAST(printf('%022d', i) AS BLOB), 1, x'00', 0, i, x'00' FROM n
          """
        )
      }
      let test = OutboxUnderTest.sqlite(store)
      for expected in [88, 0] {
        _ = try await test.claim()
        #expect(try store.count("outbox") == expected)
      }
    }
  }

  @Test func `all addresses of a mailbox have the same keyed hash, also after a restart`()
    async throws
  {
    try await withFolder { folder in
      for name in ["ada+1", "ada+2"] {
        let store = try SQLiteSubscriberStore(
          path: folder.database, configuration: .init(optIn: .double))
        try await _ = store.add(try .sample("\(name)@example.org")).values()
        let count = try store.withConnection {
          try $0.number("SELECT count(DISTINCT mailbox) FROM outbox")
        }
        #expect(count == 1)
        await store.close().ended()
      }
    }
  }
}
