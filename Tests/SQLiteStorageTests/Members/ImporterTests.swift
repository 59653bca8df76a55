import ListStorage
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
      let importer = try ListImporter(CommandDatabase(path: folder.database), keyring: nil)
      let suppressor = try ListSuppressor(CommandDatabase(path: folder.database), keyring: nil)
      try await StoreUnderTest.sqlite(store).expectImports(through: importer) { address in
        _ = try suppressor.suppress([address], .objected, at: .now)
      }
      suppressor.close()
      importer.close()
    }
  }
}
