import Foundation
import GRDB
import MailingList
import TestSupport
import Testing

@testable import SQLiteStorage

/// The size of the write-ahead log.
@Suite struct LogFileTests {
  @Test func `warns once when a reader prevents the log from being copied`() async throws {
    try await withTemporaryFolder { folder in
      let database = try DatabaseQueue(path: folder.database)
      defer { try? database.close() }
      let warnings = Warnings()
      let log = try await database.writeWithoutTransaction { db in
        try db.execute(sql: "PRAGMA journal_mode = WAL")
        try db.execute(sql: "PRAGMA synchronous = OFF")
        try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, x BLOB)")
        return try LogFile(of: db, path: "/log", maximumBytes: 20_000_000, warn: warnings.add)
      }
      var configuration = GRDB.Configuration()
      configuration.allowsUnsafeTransactions = true
      let reader = try DatabaseQueue(path: folder.database, configuration: configuration)
      try await reader.writeWithoutTransaction { db in
        try db.execute(sql: "BEGIN")
        _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM t")
      }
      func grow() async throws {
        try await database.writeWithoutTransaction { db in
          try db.execute(sql: "INSERT INTO t(x) VALUES (zeroblob(12000000))")
          log.checkpointIfNeeded()
        }
      }
      try await grow()
      #expect(warnings.all.isEmpty)
      for _ in 0..<3 { try await grow() }
      #expect(warnings.all.count == 1)
      guard case .largeLog(let path, let byteCount) = warnings.all.first else {
        Issue.record("\(warnings.all)")
        return
      }
      #expect(path == "/log")
      #expect(byteCount > 20_000_000)
      // When the reader has ended, the log is copied and no further warning follows.
      try await reader.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
      try await grow()
      #expect(warnings.all.count == 1)
      try reader.close()
      withExtendedLifetime(log) {}
    }
  }

  @Test func `the log keeps at most 64 MiB after it has been copied`() async throws {
    try await withStore { store, _ in
      let limit = try store.withConnection {
        try Int.fetchOne($0, sql: "PRAGMA journal_size_limit")
      }
      #expect(limit == 67_108_864)
    }
  }
}
