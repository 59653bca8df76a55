import EmailAddresses
import MailingList
import TestSupport
import Testing

@testable import PostgreSQLStorage

@Suite(.needsPostgreSQL, .serialized)
struct DamagedMailTests {
  @Test(
    arguments: [
      "outbox SET id = ''", "outbox SET id = '\\x00'", "outbox SET consent_id = '\\x00'",
      "outbox SET kind = 99", "subscribers SET state = 99", "subscribers SET suppression = 99",
    ]
  )
  func `a damaged row is deleted and counted, and the next mail is claimed`(
    change: String
  )
    async throws
  {
    try await withStore(.init(optIn: .double)) { store, database in
      try await OutboxUnderTest.postgresql(store, database).expectNextMail(in: store) {
        try database.run(Query("UPDATE enlist.\(change)"))
      }
      #expect(try database.count(Query("SELECT count(*) FROM enlist.outbox")) == 1)
    }
  }

  @Test func `rows with the same damaged id are deleted, and the next mail is claimed`()
    async throws
  {
    try await withSameID("''") { test, database in
      let batch = try await test.claim(at: 1)
      #expect(batch.mails.map(\.recipient.key) == ["kim@example.org"])
      #expect(batch.damaged == 3)
      #expect(try database.count(Query("SELECT count(*) FROM enlist.outbox")) == 1)
    }
  }

  @Test func `rows with the same valid id are claimed one after the other`() async throws {
    try await withSameID("(SELECT id FROM enlist.outbox LIMIT 1)") { test, _ in
      var claimed: [[String]] = []
      for time in 1...3 {
        let batch = try await test.claim(at: Double(time))
        claimed.append(batch.mails.map { String($0.recipient.key.prefix(3)) })
      }
      #expect(claimed == [["ada", "kim"], ["eve"], ["joe"]])
    }
  }

  /// Gives three mails that are due the same id, then queues one of its own.
  private func withSameID(
    _ id: String, _ body: (OutboxUnderTest, TestDatabase) async throws -> Void
  ) async throws {
    try await withStore(.init(optIn: .double)) { store, database in
      for (index, name) in ["ada", "eve", "joe", "kim"].enumerated() {
        if name == "kim" { try database.run(Query("UPDATE enlist.outbox SET id = \(id)")) }
        let time = 1_800_000_000_000 + Int64(index)
        try await _ = store.add(try .sample("\(name)@example.org", at: time)).values()
      }
      try await body(OutboxUnderTest.postgresql(store, database), database)
    }
  }
}
