import EmailAddresses
import Foundation
import MailingList
import Signals
import TestSupport
import Testing

@testable import SQLiteStorage

@Suite struct RelayLockTests {
  @Test func `one holder at a time has the lock of a database's relay`() async throws {
    try await withFolder { folder in
      let path = folder.database + "-relay"
      let first = RelayLock(path: path)
      let second = RelayLock(path: path)
      #expect(!second.isElsewhere)
      #expect(first.take())
      #expect(first.take())
      #expect(!second.take())
      #expect(second.isElsewhere)
      first.release()
      #expect(!first.take())
      #expect(second.take())
      #expect(!second.isElsewhere)
    }
  }

  @Test func `claims nothing while another process sends, and tries again`() async throws {
    try await withStore(.init(optIn: .double)) { store, folder in
      let test = OutboxUnderTest.sqlite(store)
      try await test.add(try .sample())
      let other = RelayLock(path: folder.database + "-relay")
      #expect(other.take())
      let batch = try await test.claim(at: 1)
      #expect(batch.mails.isEmpty)
      #expect(batch.nextDueAt == Timestamp(millisecondsSince1970: 1_800_000_002_000))
      #expect(try await test.backlog()?.isServedElsewhere == true)
      other.release()
      #expect(try await test.claim(at: 2).mails.count == 1)
      #expect(try await test.backlog()?.isServedElsewhere == false)
    }
  }

  @Test func `mails that a dead process has claimed are due at the first claim`() async throws {
    try await withFolder { folder in
      var store = try SQLiteSubscriberStore(
        path: folder.database, configuration: .init(optIn: .double))
      var test = OutboxUnderTest.sqlite(store)
      try await test.add(try .sample())
      let first = try #require(try await test.claim(at: 0).mails.first)
      #expect(try await test.claim(at: 1).mails.isEmpty)
      await store.close().ended()

      store = try SQLiteSubscriberStore(path: folder.database, configuration: .init(optIn: .double))
      test = .sqlite(store)
      let second = try #require(try await test.claim(at: 2).mails.first)
      #expect(second.id == first.id)
      #expect(second.grantedAt == first.grantedAt)
      #expect(try await test.claim(at: 3).mails.isEmpty)
      await store.close().ended()
    }
  }

  @Test func `a mail that a dead process tried again still waits behind others`() async throws {
    try await withFolder { folder in
      for isDead in [false, true] {
        let store = try SQLiteSubscriberStore(
          path: folder.database, configuration: .init(optIn: .double))
        let test = OutboxUnderTest.sqlite(store)
        if isDead {
          try await test.add(try .sample(to: "eve@example.org", at: 1_800_000_003_000))
          #expect(try await test.claim(limit: 1, at: 3).mails.map(\.attempts) == [0])
          #expect(try await test.claim(at: 3).mails.map(\.attempts) == [1])
        } else {
          try await test.add(try .sample())
          let mail = try #require(try await test.claim(at: 0).mails.first)
          let time = Timestamp(millisecondsSince1970: 1_800_000_001_000)
          try await test.settle(MailSettlement(mail, .later(at: time, error: ""), at: time))
          #expect(try await test.claim(at: 1).mails.count == 1)
        }
        await store.close().ended()
      }
    }
  }

  @Test func `a change that fails next to the first claim does not release it later`()
    async throws
  {
    try await withStore(.init(optIn: .double)) { store, _ in
      let test = OutboxUnderTest.sqlite(store)
      try await test.add(try .sample())
      let start = Timestamp(millisecondsSince1970: 1_800_000_000_000)
      let claim = MailClaim(limit: 1, now: start, lease: .seconds(180)) { .sample(of: $0) }
      // Both are in one transaction.
      let (claimed, failed) = store.withConnection { _ in
        (
          store.outbox.claim(claim).replay(),
          store.access.queue.change { (_) throws(StoreError) -> Int in throw .failed(code: 1) }
            .replay()
        )
      }
      let mail = try #require(try await claimed.values().first?.mails.first)
      await #expect(throws: StoreError.failed(code: 1)) { try await failed.values() }
      let next = try await test.claim(limit: 0, at: 1)
      #expect(next.nextDueAt == mail.leasedUntil)
      try await test.settle(MailSettlement(mail, .sent, at: start.adding(.seconds(2))))
      #expect(try await test.backlog()?.waiting == 0)
    }
  }

  @Test func `a mail that was queued while the clock was ahead is due at the first claim`()
    async throws
  {
    try await withStore(.init(optIn: .double)) { store, _ in
      let test = OutboxUnderTest.sqlite(store)
      try await test.add(try .sample(to: "ada@example.org", at: 1_900_000_000_000))
      try await test.add(try .sample(to: "eve@example.org", at: 1_800_000_060_000))
      let batch = try await test.claim(at: 0)
      #expect(batch.mails.map(\.recipient.local) == ["ada"])
      #expect(batch.nextDueAt == Timestamp(millisecondsSince1970: 1_800_000_060_000))
    }
  }
}
