import EmailAddresses
import MailingList
import Signals
import TestSupport
import Testing

@testable import SQLiteStorage

@Suite struct EvidenceTests {
  private let start = Timestamp(millisecondsSince1970: 1_800_000_000_000)

  @Test func `a confirmation and leaving are recorded with the mail that led there`()
    async throws
  {
    try await withStore(.init(optIn: .double)) { store, _ in
      let test = StoreUnderTest.sqlite(store)
      let (signUp, sent) = try await test.signUp(at: start)
      let credentials = MailCredentials.sample(of: try #require(sent))
      let request = MembershipRequest(
        at: start.adding(.seconds(5)),
        consent: Consent(clientAddress: "192.0.2.0", userAgent: "agent", locale: "de"))
      let confirm = try #require(credentials.confirmHash)
      _ = try await store.confirm(confirm, request).values()
      _ = try await store.confirm(confirm, request).values()
      _ = try await store.leave(.link(credentials.unsubscribeHash), by: .oneClick, request).values()
      let rows = try store.withConnection {
        try $0.file.rows(
          """
          SELECT kind, means, message_id, ip, user_agent, at FROM consents
            WHERE request_id = \(signUp.id.bytes.sql)
              AND wording = \(credentials.wording.hash.sql) ORDER BY kind
          """
        )
      }
      let rest: [SQLiteValue] = [
        .init(stringLiteral: credentials.messageID), "192.0.2.0", "agent",
        .init(integerLiteral: request.time.millisecondsSince1970),
      ]
      #expect(rows == [["confirmed", "link"] + rest, ["withdrawn", "one-click"] + rest])
      #expect(try store.count("wordings") == 1)
    }
  }

  @Test func `an erasure deletes links, codes and waiting mails`() async throws {
    try await withStore(.init(optIn: .double)) { store, folder in
      let test = StoreUnderTest.sqlite(store)
      _ = try await test.signUp("ada@example.org", at: start)
      _ = try await test.signUp("eve@example.org", at: start)
      for name in ["ada", "eve"] {
        try await test.add(try .sample("\(name)@example.org", at: start.millisecondsSince1970 + 1))
      }
      let eraser = try ListCommands(CommandDatabase(path: folder.database), keyring: nil)
      _ = try eraser.erase([EmailAddress(validating: "ada@example.org")], leaving: .imports)
      eraser.close()
      #expect(try store.count("tokens") == 2)
      #expect(try store.count("codes") == 1)
      #expect(try store.count("outbox") == 1)
      #expect(try store.count("consents") == 2)
    }
  }

  @Test func `a manual deletion also deletes links and codes`() async throws {
    try await withStore(.init(optIn: .double)) { store, _ in
      _ = try await StoreUnderTest.sqlite(store).signUp(at: start)
      try store.withConnection { try $0.execute("DELETE FROM subscribers") }
      #expect(try store.count("tokens") == 0)
      #expect(try store.count("codes") == 0)
    }
  }

  @Test func `a change that fails undoes nothing of the sign-ups in its transaction`()
    async throws
  {
    try await withStore(.init(optIn: .double)) { store, _ in
      let test = StoreUnderTest.sqlite(store)
      let mail = try #require(try await test.signUp("ada@example.org", at: start).mail)
      try store.withConnection { try $0.execute("UPDATE subscribers SET state = 9") }
      let hash = try #require(MailCredentials.sample(of: mail).confirmHash)
      let request = MembershipRequest(at: start.adding(.seconds(1)))
      let (added, confirmed) = try store.withConnection { _ in
        (store.add(try .sample("eve@example.org")).replay(), store.confirm(hash, request).replay())
      }
      _ = try await added.values()
      await #expect(throws: StoreError.damaged) { try await confirmed.values() }
      #expect(try store.count("subscribers") == 2)
    }
  }
}
