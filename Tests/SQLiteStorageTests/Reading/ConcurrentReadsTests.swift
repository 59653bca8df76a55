import Dispatch
import Signals
import MailingList
import TestSupport
import Testing

@testable import SQLiteStorage

/// Tests of the connections that reads share.
@Suite struct ConcurrentReadsTests {
  /// Makes a file with one number, and the reads of this file.
  private func makeReads(
    in folder: Folder,
    _ open: @escaping @Sendable (String) throws -> SQLiteConnection = {
      try SQLiteConnection(path: $0, isReadOnly: true)
    }
  ) throws -> (SQLiteFile, ConcurrentReads) {
    let file = try SQLiteFile(folder.database)
    try file.execute("PRAGMA journal_mode = WAL; CREATE TABLE t(x); INSERT INTO t VALUES (1)")
    let path = folder.database
    return (file, ConcurrentReads(scheduler: ImmediateScheduler()) { try open(path) })
  }

  @Test func `further reads wait for one of two connections`() async throws {
    try await withFolder { folder in
      let opened = Lock(0)
      let (file, reads) = try makeReads(in: folder) { path in
        opened.withLock { $0 += 1 }
        return try SQLiteConnection(path: path, isReadOnly: true)
      }
      let running = Lock((count: 0, maximum: 0))
      let results = (0..<20).map { _ in
        reads.read { db in
          running.withLock { running in
            running.count += 1
            running.maximum = max(running.maximum, running.count)
          }
          defer { running.withLock { $0.count -= 1 } }
          return try db.number("SELECT x FROM t")
        }
        .replay()
      }
      for result in results { #expect(await result.collected() == .success([1])) }
      #expect(running.withLock { $0.maximum } <= 2)
      #expect(opened.withLock { $0 } <= 2)
      withExtendedLifetime(file) {}
    }
  }

  @Test func `a read sees one state and does not wait for a writer`() async throws {
    try await withFolder { folder in
      let (file, reads) = try makeReads(in: folder)
      let values = await reads.read { db in
        let before = try db.number("SELECT x FROM t")
        try file.execute("BEGIN IMMEDIATE; UPDATE t SET x = 2")
        let during = try db.number("SELECT x FROM t")
        try file.execute("COMMIT")
        return [before, during, try db.number("SELECT x FROM t")]
      }
      .collected()
      #expect(values == .success([[1, 1, 1]]))
      #expect(try await reads.read { try $0.number("SELECT x FROM t") }.values() == [2])
    }
  }

  @Test func `a read that fails leaves its connection to the next one`() async throws {
    try await withFolder { folder in
      let failures = Lock(2)
      let (file, reads) = try makeReads(in: folder) { path in
        let isFailing = failures.withLock { failures in
          failures -= 1
          return failures >= 0
        }
        if isFailing { throw StoreError.locked }
        return try SQLiteConnection(path: path, isReadOnly: true)
      }
      for expected in [.failure(.locked), .failure(.locked), .success([1])]
        as [Result<[Int64?], StoreError>]
      {
        #expect(await reads.read { try $0.number("SELECT x FROM t") }.collected() == expected)
      }
      for _ in 0..<3 {
        let failing = reads.read { db in
          try db.statements["SELECT x FROM t"].all { (_) throws(StoreError) -> Int in
            throw .damaged
          }
        }
        #expect(await failing.collected() == .failure(.damaged))
      }
      // No read has kept its state of the file.
      #expect(try file.numbers("PRAGMA wal_checkpoint(TRUNCATE)") == [0])
    }
  }

  @Test func `closing waits for the last read, and leaves no connection open`() async throws {
    try await withFolder { folder in
      let (file, reads) = try makeReads(in: folder)
      let (isReading, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let isIdle = Lock(false)
      let read = reads.read { db in
        isReading.signal()
        mayEnd.wait()
        return try db.number("SELECT x FROM t")
      }
      .replay()
      isReading.wait()
      reads.close { isIdle.withLock { $0 = true } }
      #expect(await reads.read { _ in 0 }.collected() == .failure(.closed))
      #expect(!isIdle.withLock { $0 })
      mayEnd.signal()
      #expect(try await read.values() == [1])
      #expect(isIdle.withLock { $0 })
      // Requires that no other connection exists.
      #expect(try file.texts("PRAGMA journal_mode = DELETE") == ["delete"])
    }
  }
}
