import MailingList
import Security
import TestSupport
import Testing

@testable import SQLiteStorage

@Suite struct ConformanceTests {
  @Test(arguments: SubscriberStoreConformance.promises)
  func `the SQLite store keeps every promise of a store`(
    _ promise: SubscriberStoreConformance.Promise
  ) async throws {
    try await withFolder { folder in
      let store = try SQLiteSubscriberStore(path: folder.database)
      try await promise.check(.sqlite(store))
      await store.close().ended()
    }
  }

  @Test(arguments: SubscriberStoreConformance.doublePromises)
  func `the SQLite store keeps every promise of a store with double opt-in`(
    _ promise: SubscriberStoreConformance.Promise
  ) async throws {
    try await withStore(.init(optIn: .double)) { store, _ in
      try await promise.check(.sqlite(store))
    }
  }

  @Test(arguments: OutboxConformance.promises)
  func `the SQLite store keeps every promise of an outbox`(
    _ promise: OutboxConformance.Promise
  ) async throws {
    try await withStore(.init(optIn: .double)) { store, _ in
      try await promise.check(.sqlite(store))
    }
  }

  @Test(arguments: SuppressionConformance.promises)
  func `the SQLite store keeps every promise about suppressions`(
    _ promise: SuppressionConformance.Promise
  ) async throws {
    let keyring = Keyring(Secret(), previous: Secret())
    try await withStore(.init(optIn: .double, keyring: keyring)) { store, folder in
      try await promise.check(.sqlite(store, at: folder.database))
    }
  }

  @Test(arguments: MembershipRules.Act.allCases)
  func `a list in SQLite follows the rules of a membership`(
    _ act: MembershipRules.Act
  )
    async throws
  {
    try await withStore { store, _ in
      try store.withConnection { db in
        try MembershipRules(SQLiteSession(db), keys: MailKeys(store.keyring)).check(act)
      }
    }
  }

  @Test(arguments: ListConformance.promises)
  func `a list in SQLite keeps every promise about its rows`(
    _ promise: ListConformance.Promise
  ) async throws {
    try await withFolder { folder in
      let db = try SQLiteConnection(path: folder.database)
      try Migrations.run(db, path: folder.database)
      try await promise.check(RowsUnderTest(SQLiteSession(db), keys: MailKeys(Keyring(Secret()))))
    }
  }
}
