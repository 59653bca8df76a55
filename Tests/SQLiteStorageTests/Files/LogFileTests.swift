import Foundation
import MailingList
import TestSupport
import Testing

@testable import SQLiteStorage

/// The size of the write-ahead log.
@Suite struct LogFileTests {
  @Test func `warns once when a reader prevents the log from being copied`() async throws {
    try await withFolder { folder in
      let db = try SQLiteConnection(path: folder.database)
      let warnings = Warnings()
      try db.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF")
      try db.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, x BLOB)")
      let log = try LogFile(of: db, path: "/log", maximumBytes: 20_000_000, warn: warnings.add)
      let reader = try SQLiteFile(folder.database)
      try reader.execute("BEGIN; SELECT count(*) FROM t")
      func grow() throws {
        try db.execute("INSERT INTO t(x) VALUES (zeroblob(12000000))")
        log.checkpointIfNeeded()
      }
      try grow()
      #expect(warnings.all.isEmpty)
      for _ in 0..<3 { try grow() }
      #expect(warnings.all.count == 1)
      guard case .largeLog(let path, let byteCount) = warnings.all.first else {
        Issue.record("\(warnings.all)")
        return
      }
      #expect(path == "/log")
      #expect(byteCount > 20_000_000)
      // When the reader has ended, the log is copied and no further warning follows.
      try reader.execute("COMMIT")
      try grow()
      #expect(warnings.all.count == 1)
      withExtendedLifetime(log) {}
    }
  }

  @Test func `the log keeps at most 64 MiB after it has been copied`() async throws {
    try await withStore { store, _ in
      let limit = try store.withConnection {
        try $0.number("PRAGMA journal_size_limit")
      }
      #expect(limit == 67_108_864)
    }
  }
}
