import Foundation
import Glibc
import MailingList
import TestSupport
import Testing

@testable import SQLiteStorage

/// Changes of the files of an open database that SQLite makes, and others.
@Suite struct ChangedFilesTests {
  /// What another program may do with SQLite.
  private static let work = [
    "UPDATE store_probe SET at = at + 1 WHERE id = 1", "PRAGMA wal_checkpoint(PASSIVE)",
    "PRAGMA wal_checkpoint(RESTART)", "PRAGMA wal_checkpoint(TRUNCATE)", "VACUUM",
    "CREATE TABLE IF NOT EXISTS filler(x)",
    "INSERT INTO filler SELECT randomblob(3000) FROM (VALUES (1), (2), (3), (4), (5), (6))",
    "DELETE FROM filler", "SELECT count(*) FROM subscribers",
  ]

  @Test func `other programs commit, copy the log and truncate it while sign-ups are stored`()
    async throws
  {
    try await withStore { store, folder in
      let other = try SQLiteFile(folder.database, busyTimeout: .seconds(10))
      let task = Task(executorPreference: ThreadPerJob()) {
        var generator = SystemRandomNumberGenerator()
        while !Task.isCancelled {
          let sql = Self.work.randomElement(using: &generator) ?? ""
          _ = try other.rows(sql)
        }
      }
      for number in 0..<600 {
        try await _ = store.add(try .sample("a\(number)@example.org")).values()
      }
      task.cancel()
      _ = await task.result
      #expect(try store.count("subscribers") == 600)
    }
  }

  @Test func `a log that a killed process has left does not count as a change`() async throws {
    try await withFolder { folder in
      let (left, database) = (folder.database, folder("next.sqlite"))
      let first = try SQLiteSubscriberStore(path: left)
      for number in 0..<30 {
        try await _ = first.add(try .sample("a\(number)@example.org")).values()
      }
      for suffix in ["", "-wal"] {
        try FileManager.default.copyItem(atPath: left + suffix, toPath: database + suffix)
      }
      await first.close().ended()
      let second = try SQLiteSubscriberStore(path: database)
      try await _ = second.add(try .sample("next@example.org")).values()
      #expect(try second.count("subscribers") == 31)
      // And the database is checked from the beginning.
      try eventually { second.access.queue.isIdle }
      #expect(truncate(database, 4096) == 0)
      let late = try SignUp.sample("late@example.org")
      await #expect(throws: StoreError.replaced) { try await second.add(late).values() }
      await second.close().ended()
    }
  }

  @Test func `a sign-up that may be in files that have been moved is undetermined`() async throws {
    try await withStore { store, folder in
      let moving = store.access.queue.change { (_) throws(StoreError) in
        try? FileChange.renameAll.make(in: folder)
      }
      #expect(await moving.collected().map { $0.count } == .failure(.undetermined))
      let late = try SignUp.sample("late@example.org")
      await #expect(throws: StoreError.replaced) { try await store.add(late).values() }
      await #expect(throws: StoreError.replaced) { try await store.probe().values() }
    }
  }

  @Test func `reports once that the files have changed, without a request`() async throws {
    var configuration = SQLiteSubscriberStore.Configuration()
    configuration.checkInterval = .milliseconds(20)
    try await withStore(configuration) { store, folder in
      try await _ = store.add(try .sample("ada@example.org")).values()
      try eventually { store.access.queue.isIdle }
      #expect(truncate(folder.database + "-wal", 0) == 0)
      #expect(await store.failure.collected() == .failure(.replaced))
      #expect(
        await store.hasStored(try SignUp.sample("bob@example.org").id).collected()
          == .failure(.replaced)
      )
    }
  }

  @Test(arguments: [0, 8192])
  func `no read uses an index that is too short`(_ byteCount: Int) async throws {
    var configuration = SQLiteSubscriberStore.Configuration()
    configuration.checkInterval = .milliseconds(20)
    // A read that has begun uses the index until it ends.
    configuration.checksFile = false
    try await withStore(configuration) { store, folder in
      try await _ = store.add(try .sample("ada@example.org")).values()
      try eventually { store.access.queue.isIdle }
      #expect(truncate(folder.database + "-shm", byteCount) == 0)
      let id = try SignUp.sample("bob@example.org").id
      #expect(await store.hasStored(id).collected() == .failure(.replaced))
      #expect(await store.failure.collected() == .failure(.replaced))
      await #expect(throws: StoreError.replaced) { try await store.probe().values() }
    }
  }

  @Test func `a log that is not copied yet is not deleted because its index says so`() async throws
  {
    try await withFolder { folder in
      let store = try SQLiteSubscriberStore(path: folder.database)
      for number in 0..<30 {
        try await _ = store.add(try .sample("a\(number)@example.org")).values()
      }
      try eventually { store.access.queue.isIdle }
      // The number of frames that a checkpoint has copied.
      let index = try #require(fopen(folder.database + "-shm", "r+"))
      fseek(index, 96, SEEK_SET)
      fputs("many", index)
      fclose(index)
      await store.close().ended()
      let next = try SQLiteSubscriberStore(path: folder.database)
      #expect(try next.count("subscribers") == 30)
      await next.close().ended()
    }
  }

  @Test func `a log that was overwritten far from its beginning is not copied at the end`()
    async throws
  {
    try await withFolder { folder in
      let store = try SQLiteSubscriberStore(path: folder.database)
      for number in 0..<30 {
        try await _ = store.add(try .sample("a\(number)@example.org")).values()
      }
      let log = try #require(fopen(folder.database + "-wal", "r+"))
      fseek(log, 40_000, SEEK_SET)
      fputs("something else", log)
      fclose(log)
      await store.close().ended()
      #expect(await store.probe().collected() == .failure(.damaged))
      let error = #expect(throws: StoreOpeningError.self) {
        try SQLiteSubscriberStore(path: folder.database)
      }
      guard case .changed = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }
}
