import EmailAddresses
import MailingList
import TestSupport
import Testing

@testable import SQLiteStorage

/// Imports next to the store of a service.
@Suite struct ImporterTests {
  @Test func `an import adds people with their evidence, and changes nothing when repeated`()
    async throws
  {
    try await withStore { store, folder in
      let importer = try ListCommands(CommandDatabase(path: folder.database), keyring: nil)
      let suppressor = try ListCommands(CommandDatabase(path: folder.database), keyring: nil)
      try await StoreUnderTest.sqlite(store).expectImports(through: importer) { address in
        _ = try suppressor.suppress([address], .objected, at: .now)
      }
      suppressor.close()
      importer.close()
    }
  }

  @Test func `sign-ups are stored while an import adds people`() async throws {
    try await withStore { store, folder in
      let path = folder.database
      let importing = Task(executorPreference: ThreadPerJob()) {
        let importer = try ListCommands(CommandDatabase(path: path), keyring: nil)
        var count = 0
        while !Task.isCancelled {
          let person = try ImportedPerson.sample(
            "p\(count)@example.org", Membership(state: .subscribed, confirmedAt: .now), at: .now)
          #expect(try importer.store([person], at: .now) == [.new])
          count += 1
        }
        importer.close()
        return count
      }
      for number in 0..<300 {
        try await _ = store.add(try .sample("s\(number)@example.org")).values()
      }
      importing.cancel()
      #expect(try await importing.value > 0)
    }
  }
}
