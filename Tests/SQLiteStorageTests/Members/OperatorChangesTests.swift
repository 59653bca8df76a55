import MailingList
import TestSupport
import Testing

@testable import SQLiteStorage

@Suite struct OperatorChangesTests {
  @Test func `the operator looks up, changes and erases subscribers`() async throws {
    try await withStore { store, _ in
      try await StoreUnderTest.sqlite(store).expectOperations()
    }
  }

  @Test func `no id is given twice, however people come and leave`() async throws {
    try await withStore(.init(optIn: .double)) { store, folder in
      let commands = try ListCommands(CommandDatabase(path: folder.database), keyring: nil)
      try await StoreUnderTest.sqlite(store).expectNewIDs(through: commands) {
        _ = try await store.purge().values()
      }
      commands.close()
    }
  }

  @Test func `each change of the list has its event`() async throws {
    try await withStore(.init(optIn: .double)) { store, _ in
      try await StoreUnderTest.sqlite(store).expectEvents()
    }
  }
}
