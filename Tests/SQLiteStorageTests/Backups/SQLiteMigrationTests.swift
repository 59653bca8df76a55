import Foundation
import MailingList
import TestSupport
import Testing

@testable import SQLiteStorage

@Suite struct SQLiteMigrationTests {
  @Test func `migrates an older schema once`() async throws {
    try await withFolder { folder in
      try Migrations.run(SQLiteConnection(path: folder.database), path: folder.database)
      try Migrations.$steps.withValue(.withNext) { () throws in
        #expect(try SQLiteMigration.run(on: folder.database) == .init(from: 1, to: 2))
        #expect(try SQLiteMigration.run(on: folder.database) == .init(from: 2, to: 2))
      }
    }
  }

  @Test func `migrates nothing while a store is open, and creates no missing database`()
    async throws
  {
    try await withStore { _, folder in
      let error = #expect(throws: StoreOpeningError.self) {
        try SQLiteMigration.run(on: folder.database)
      }
      #expect(error?.description.contains("in use by another service") == true)
      let missing = folder("missing.sqlite")
      #expect(throws: StoreOpeningError.self) { try SQLiteMigration.run(on: missing) }
      #expect(!FileManager.default.fileExists(atPath: missing))
    }
  }
}
