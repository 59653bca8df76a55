import Foundation
import GRDB
import GRDBSQLite
import Glibc
import MailingList
import Synchronization
import TestSupport
import Testing

@testable import SQLiteStorage

/// That a commit waits for the disk, seen from below SQLite.
@Suite struct DurabilityTests {
  @Test func `makes the log durable with every commit`() async throws {
    try await withTemporaryFolder { folder in
      let path = folder.url.appending(path: SyncCounter.marker).path
      let store = try SyncCounter.whileInstalled { try SQLiteSubscriberStore(path: path) }
      for _ in 0..<10 {
        let before = SyncCounter.count
        try await _ = store.enroll(try .sample()).values()
        #expect(SyncCounter.count == before + 1)
      }
      // The count tells the difference: NORMAL leaves it to the next checkpoint.
      try store.withConnection { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
      let before = SyncCounter.count
      for _ in 0..<10 { try await _ = store.enroll(try .sample()).values() }
      #expect(SyncCounter.count == before)
      await store.close().ended()
    }
  }
}

/// A file system for SQLite that counts `xSync` calls for the log of one database.
///
/// It hands everything on to the one that was the default (<https://www.sqlite.org/vfs.html>). A
/// connection keeps the file system with which it was opened.
private enum SyncCounter {
  /// The name of the database whose log is counted.
  static let marker = "counted-syncs.sqlite"

  private static let syncs = Atomic(0)
  // nonisolated(unsafe) because they are set once, before a file is opened that uses them.
  nonisolated(unsafe) private static var base: UnsafeMutablePointer<sqlite3_vfs>?
  nonisolated(unsafe) private static var methods: UnsafeMutablePointer<sqlite3_io_methods>?
  nonisolated(unsafe) private static var baseMethods: UnsafePointer<sqlite3_io_methods>?

  /// How often the log was made durable.
  static var count: Int { syncs.load(ordering: .acquiring) }

  /// Runs something with this file system as the default one; once in a process.
  static func whileInstalled<Value>(_ body: () throws -> Value) throws -> Value {
    let base = try #require(sqlite3_vfs_find(nil))
    let counting = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    counting.initialize(to: base.pointee)
    counting.pointee.zName = UnsafePointer(strdup("counting"))
    counting.pointee.pNext = nil
    counting.pointee.xOpen = { _, name, file, flags, outFlags in
      let code = SyncCounter.base?.pointee.xOpen?(SyncCounter.base, name, file, flags, outFlags)
      if let name, let file, String(cString: name).hasSuffix(SyncCounter.marker + "-wal") {
        SyncCounter.count(file)
      }
      return code ?? SQLITE_CANTOPEN
    }
    Self.base = base
    sqlite3_vfs_register(counting, 1)
    defer { sqlite3_vfs_register(base, 1) }
    return try body()
  }

  /// Puts a counting method in the place of an open file's own.
  private static func count(_ file: UnsafeMutablePointer<sqlite3_file>) {
    guard let own = file.pointee.pMethods else { return }
    if methods == nil {
      let copy = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
      copy.initialize(to: own.pointee)
      copy.pointee.xSync = { file, flags in
        SyncCounter.syncs.add(1, ordering: .acquiringAndReleasing)
        return SyncCounter.baseMethods?.pointee.xSync?(file, flags) ?? SQLITE_IOERR
      }
      baseMethods = own
      methods = copy
    }
    file.pointee.pMethods = UnsafePointer(methods)
  }
}
