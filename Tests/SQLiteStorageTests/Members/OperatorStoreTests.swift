import TestSupport
import Testing

@testable import SQLiteStorage

@Suite struct OperatorStoreTests {
  @Test func `the operator looks up, changes and erases subscribers`() async throws {
    try await withStore { store, _ in
      try await StoreUnderTest.sqlite(store).expectOperations(of: store)
    }
  }
}
