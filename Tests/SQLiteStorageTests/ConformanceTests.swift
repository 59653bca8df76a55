import MailingList
import TestSupport
import Testing

@testable import SQLiteStorage

@Suite struct ConformanceTests {
  @Test(arguments: SubscriberStoreConformance.promises)
  func `the in-memory store keeps every promise of a store`(
    _ promise: SubscriberStoreConformance.Promise
  ) async throws {
    try await promise.check(.inMemory())
  }

  @Test(arguments: SubscriberStoreConformance.promises)
  func `the SQLite store keeps every promise of a store`(
    _ promise: SubscriberStoreConformance.Promise
  ) async throws {
    try await withTemporaryFolder { folder in
      let store = try SQLiteSubscriberStore(path: folder.database)
      try await promise.check(.sqlite(store))
      await store.close().ended()
    }
  }
}
