import Foundation
import Glibc
import MailingList
import TestSupport
import Testing

@testable import SQLiteStorage

/// Tests of the thorough check, which runs while a store is used.
@Suite struct LaterCheckTests {
  /// Makes a database with a page in the middle of the list that opening does not read, and
  /// overwrites that page.
  private func makeDamaged(in folder: Folder) async throws {
    let store = try SQLiteSubscriberStore(path: folder.database)
    try store.withConnection { db in
      try db.execute(Contents.adding(2_000))
      try db.execute("UPDATE subscribers SET address = 'marked@example.net' WHERE id = 1000")
    }
    await store.close().ended()
    try Contents.spoil(folder.database) { bytes in
      guard let marker = bytes.range(of: Data("marked@".utf8)) else { return }
      let page = marker.lowerBound / 4096 * 4096
      for index in page..<page + 64 { bytes[index] ^= 0x55 }
    }
  }

  @Test func `a damaged page that opening does not read makes the store not ready`() async throws {
    try await withFolder { folder in
      try await makeDamaged(in: folder)
      let (warnings, continuation) = AsyncStream.makeStream(of: StoreWarning.self)
      let store = try SQLiteSubscriberStore(
        path: folder.database, configuration: .init(warn: { continuation.yield($0) }))
      let warning = try #require(await warnings.first { _ in true })
      #expect(warning.description.contains("the database \(folder.database) is damaged"))
      #expect(!warning.description.contains("@"))
      // Also after a sign-up, which could have been stored.
      for _ in 0..<2 {
        await #expect(throws: StoreError.damaged) { try await store.probe().values() }
        await #expect(throws: StoreError.damaged) {
          try await store.add(try .sample("new@example.org")).values()
        }
      }
      await store.close().ended()
      continuation.finish()
      #expect(await warnings.first { _ in true } == nil)
    }
  }

  @Test func `a store that closes ends the check, and leaves no log`() async throws {
    try await withFolder { folder in
      let warnings = Warnings()
      for _ in 0..<3 {
        let store = try SQLiteSubscriberStore(
          path: folder.database, configuration: .init(warn: warnings.add))
        try store.withConnection { try $0.execute("DELETE FROM subscribers") }
        try store.withConnection { try $0.execute(Contents.adding(20_000)) }
        await store.close().ended()
        let files = try folder.files
        #expect(!files.contains("list.sqlite-wal"))
      }
      #expect(warnings.all.isEmpty)
    }
  }

  @Test func `rejects a database that is shorter than its pages, although it has a log`()
    async throws
  {
    try await withFolder { folder in
      let first = try SQLiteSubscriberStore(path: folder.database)
      try first.withConnection { try $0.execute(Contents.adding(20_000)) }
      await first.close().ended()
      let second = try SQLiteSubscriberStore(path: folder.database)
      try await _ = second.add(try .sample("new@example.org")).values()
      // As a crash leaves them.
      let other = folder("other.sqlite")
      for suffix in ["", "-wal"] {
        try FileManager.default.copyItem(atPath: folder.database + suffix, toPath: other + suffix)
      }
      await second.close().ended()
      let intact = try SQLiteSubscriberReader(path: other)
      #expect(try await intact.subscribers(after: 20_000, limit: 2).values().first?.count == 1)
      let bytes = try #require(FileStatus(at: other)).byteCount
      try #require(truncate(other, bytes / 8192 * 4096) == 0)
      let error = #expect(throws: StoreOpeningError.self) {
        try SQLiteSubscriberReader(path: other)
      }
      #expect(
        error?.description.contains("pages are missing") == true, "\(String(describing: error))")
      #expect(throws: StoreOpeningError.self) { try SQLiteSubscriberStore(path: other) }
    }
  }
}
