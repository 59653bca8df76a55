import MailingList
import TestSupport
import Testing

@testable import SQLiteStorage

@Suite struct OperatorStoreTests {
  @Test func `the operator looks up, changes and erases subscribers`() async throws {
    try await withStore { store, _ in
      try await StoreUnderTest.sqlite(store).expectOperations(of: store)
    }
  }

  @Test func `each change of the list has its event`() async throws {
    try await withStore(.init(optIn: .double)) { store, _ in
      try await StoreUnderTest.sqlite(store).expectEvents(of: store)
    }
  }
}
