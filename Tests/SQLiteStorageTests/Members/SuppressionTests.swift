import EmailAddresses
import MailingList
import Security
import Signals
import TestSupport
import Testing

@testable import SQLiteStorage

@Suite struct SuppressionTests {
  private let start = Timestamp(millisecondsSince1970: 1_800_000_000_000)

  @Test(arguments: OptIn.allCases)
  func `an address that another process has suppressed is not subscribed`(optIn: OptIn) async throws
  {
    try await withStore(.init(optIn: optIn)) { store, folder in
      _ = try await store.add(try .sample("ada@example.org")).values()
      let suppressor = try ListCommands(CommandDatabase(path: folder.database), keyring: nil)
      let results = try suppressor.suppress([.sample("eve@example.org")], .objected, at: start)
      suppressor.close()
      #expect(results == [.unlisted])
      for name in ["eve", "bob", "eve"] {
        _ = try await store.add(try .sample("\(name)@example.org")).values()
      }
      let test = OutboxUnderTest.sqlite(store)
      let eve = try await test.membership(.sample("eve@example.org"))
      #expect(eve.state == .suppressed)
      #expect(eve.suppression == .objected)
      #expect(eve.suppressedAt == start)
      let bob = try await test.membership(.sample("bob@example.org"))
      #expect(bob.state == (optIn == .single ? .subscribed : .pending))
    }
  }

  @Test func `single opt-in subscribes no other spelling of a suppressed mailbox`() async throws {
    try await withStore { store, _ in
      let test = StoreUnderTest.sqlite(store)
      try await test.expectNoOtherSpelling()
    }
  }

  @Test func `a confirmation deletes the trace of an erasure`() async throws {
    try await withStore(.init(optIn: .double)) { store, folder in
      let eraser = try ListCommands(CommandDatabase(path: folder.database), keyring: nil)
      _ = try eraser.erase([.sample("ada@example.org")], leaving: .imports)
      eraser.close()
      #expect(try store.count("suppressions") == 1)
      let test = StoreUnderTest.sqlite(store)
      let mail = try #require(try await test.signUp("ada@example.org", at: start).mail)
      _ = try await test.confirm(mail, at: start)
      #expect(try store.count("suppressions") == 0)
    }
  }

  @Test func `a database without a secret needs that of the service`() async throws {
    let keyring = Keyring(Secret())
    try await withStore(.init(keyring: keyring)) { store, folder in
      let path = folder.database
      #expect(throws: StoreOpeningError.noSecret(path: path)) {
        _ = try ListCommands(CommandDatabase(path: path), keyring: nil)
      }
      let suppressor = try ListCommands(CommandDatabase(path: path), keyring: keyring)
      _ = try suppressor.suppress([.sample("ada@example.org")], .complaint, at: start)
      suppressor.close()
      _ = try await store.add(try .sample("ada@example.org")).values()
      #expect(
        try await store.subscribers(after: nil, limit: 1).values().first?.first?.state
          == .suppressed
      )
    }
  }
}
