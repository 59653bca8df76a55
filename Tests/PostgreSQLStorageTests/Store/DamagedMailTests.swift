import EmailAddresses
import MailingList
import TestSupport
import Testing

@testable import PostgreSQLStorage

@Suite(.needsPostgreSQL, .serialized, .timeLimit(.minutes(15)))
struct DamagedMailTests {
  @Test(
    arguments: [
      "outbox SET id = ''", "outbox SET id = '\\x00'", "outbox SET consent_id = '\\x00'",
      "outbox SET kind = 99", "subscribers SET state = 99", "subscribers SET suppression = 99",
    ]
  )
  func `a damaged row is deleted and counted, and the next mail is claimed`(change: String)
    async throws
  {
    try await withStore(.init(optIn: .double)) { store, database in
      try await _ = store.add(try .sample("ada@example.org", at: 1_800_000_000_000)).values()
      try database.run(Query("UPDATE enlist.\(change)"))
      try await _ = store.add(try .sample("kim@example.org", at: 1_800_000_000_001)).values()
      let test = OutboxUnderTest.postgresql(store, database)
      let batch = try await test.claim(limit: 1, at: 1)
      #expect(batch.mails.map(\.recipient.key) == ["kim@example.org"])
      #expect(batch.damaged == 1)
      #expect(batch.dropped == 0)
      #expect(try database.count(Query("SELECT count(*) FROM enlist.outbox")) == 1)
      #expect(try await test.claim(limit: 1, at: 2).damaged == 0)
    }
  }
}
