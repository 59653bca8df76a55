import Foundation
import MailingList
import TestSupport
import Testing

@testable import SQLiteStorage

/// Reading a database of a store, which the reader never changes.
@Suite struct SQLiteSubscriberReaderTests {
  @Test func `the reader reads the database while a store writes it`() async throws {
    try await withStore { store, folder in
      try await _ = store.add(try .sample("ada@example.org")).values()
      let reader = try SQLiteSubscriberReader(path: folder.database)
      try await _ = store.add(try .sample("bob@example.org")).values()
      let read = try await reader.subscribers(after: nil, limit: 10).values().flatMap(\.self)
      #expect(read.map(\.address) == ["ada@example.org", "bob@example.org"])
      let later = try await reader.subscribers(after: read[0].id, limit: 10).values()
      #expect(later == [[read[1]]])
    }
  }

  @Test func `the reader does not create a missing file`() async throws {
    try await withFolder { folder in
      #expect(throws: StoreOpeningError.self) { try SQLiteSubscriberReader(path: folder.database) }
      let files = try folder.files
      #expect(files.isEmpty)
    }
  }

  @Test func `the reader does not migrate an empty file`() async throws {
    try await withFolder { folder in
      try Data().write(to: URL(filePath: folder.database))
      #expect(
        throws: StoreOpeningError.schemaOlder(
          path: folder.database, found: 0, known: Migrations.latest)
      ) { try SQLiteSubscriberReader(path: folder.database) }
      #expect(try Data(contentsOf: URL(filePath: folder.database)).isEmpty)
    }
  }

  @Test func `consents are read a part at a time, in the order of their times`() async throws {
    try await withStore { store, folder in
      let reader = try SQLiteSubscriberReader(path: folder.database)
      try await StoreUnderTest.sqlite(store).expectConsents(from: reader)
    }
  }
}
