import Foundation
import GRDB
import GRDBSQLite
import Glibc
import MailingList
import Signals
import Synchronization
import TestSupport
import Testing

@testable import SQLiteStorage

/// That a commit waits for the disk, seen from below SQLite.
@Suite(.serialized) struct DurabilityTests {
  @Test func `makes the log durable with every commit`() async throws {
    try await withTemporaryFolder { folder in
      let path = folder.url.appending(path: WatchedDisk.marker).path
      let store = try WatchedDisk.whileInstalled { try SQLiteSubscriberStore(path: path) }
      for _ in 0..<10 {
        let before = WatchedDisk.count
        try await _ = store.add(try .sample()).values()
        #expect(WatchedDisk.count == before + 1)
      }
      // The count tells the difference: NORMAL leaves it to the next checkpoint.
      try store.withConnection { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
      let before = WatchedDisk.count
      for _ in 0..<10 { try await _ = store.add(try .sample()).values() }
      #expect(WatchedDisk.count == before)
      await store.close().ended()
    }
  }

  @Test func `fails all of a batch when the commit fails, and stores the next`() async throws {
    try await withTemporaryFolder { folder in
      let path = folder.url.appending(path: WatchedDisk.marker).path
      let store = try WatchedDisk.whileInstalled { try SQLiteSubscriberStore(path: path) }
      let signUps = try (0..<8).map { try SignUp.sample("person\($0)@example.org") }
      WatchedDisk.isBroken = true
      let failed = await store.outcomes(ofBatch: signUps)
      WatchedDisk.isBroken = false
      #expect(failed.allSatisfy { $0 == .failure(.failed(code: SQLITE_IOERR | (4 << 8))) })
      #expect(try store.count("subscribers") == 0)
      let stored = await store.outcomes(ofBatch: signUps)
      #expect(stored == signUps.map { .success([Receipt(id: $0.id)]) })
      #expect(try store.count("consents") == 8)
      await store.close().ended()
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `fails what is queued at the deadline, and leaves open what the disk has not confirmed`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let path = folder.url.appending(path: WatchedDisk.marker).path
      let store = try WatchedDisk.whileInstalled {
        try SQLiteSubscriberStore(path: path, configuration: .init(maximumBatch: 1))
      }
      WatchedDisk.hang()
      let outcomes = try (0..<20).map { store.add(try .sample("p\($0)@example.org")).replay() }
      while !WatchedDisk.isHanging { await Task.yield() }
      let finished = store.finish(within: .milliseconds(50)).replay()
      for outcome in outcomes.dropFirst() {
        #expect(await outcome.collected() == .failure(.closed))
      }
      WatchedDisk.release()
      await finished.ended()
      #expect((try? await outcomes[0].collected().get().count) == 1)
      #expect(try store.count("subscribers") == 1)
      await store.close().ended()
    }
  }
}

/// A file system for SQLite that counts `xSync` calls for the log of one database, and can fail them.
///
/// It hands everything on to the one that was the default (<https://www.sqlite.org/vfs.html>). A
/// connection keeps the file system with which it was opened.
private enum WatchedDisk {
  /// The name of the database whose log is watched.
  static let marker = "watched.sqlite"

  private static let syncs = Atomic(0)
  private static let broken = Atomic(false)
  // The next four: nonisolated(unsafe) because they are set before a file is opened that uses them,
  // by the tests of one suite, one after the other.
  nonisolated(unsafe) private static var base: UnsafeMutablePointer<sqlite3_vfs>?
  nonisolated(unsafe) private static var watched: UnsafeMutablePointer<sqlite3_vfs>?
  nonisolated(unsafe) private static var methods: UnsafeMutablePointer<sqlite3_io_methods>?
  nonisolated(unsafe) private static var baseMethods: UnsafePointer<sqlite3_io_methods>?

  /// How often the log was made durable.
  static var count: Int { syncs.load(ordering: .acquiring) }

  /// Whether it cannot be made durable.
  static var isBroken: Bool {
    get { broken.load(ordering: .acquiring) }
    set { broken.store(newValue, ordering: .releasing) }
  }

  private static let hangs = Atomic(false)
  private static let hanging = Atomic(false)

  /// Whether a sync waits for ``release()``.
  static var isHanging: Bool { hanging.load(ordering: .acquiring) }

  /// Makes the next sync wait.
  static func hang() {
    hangs.store(true, ordering: .releasing)
  }

  /// Lets it go on.
  static func release() {
    hangs.store(false, ordering: .releasing)
  }

  private static func waitForRelease() {
    while hangs.load(ordering: .acquiring) {
      hanging.store(true, ordering: .releasing)
      sched_yield()
    }
    hanging.store(false, ordering: .releasing)
  }

  /// Runs something with this file system as the default one.
  static func whileInstalled<Value>(_ body: () throws -> Value) throws -> Value {
    let disk = try #require(watched ?? make())
    sqlite3_vfs_register(disk, 1)
    defer { sqlite3_vfs_register(base, 1) }
    return try body()
  }

  private static func make() -> UnsafeMutablePointer<sqlite3_vfs>? {
    guard let found = sqlite3_vfs_find(nil) else { return nil }
    let copy = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    copy.initialize(to: found.pointee)
    copy.pointee.zName = UnsafePointer(strdup("watched"))
    copy.pointee.pNext = nil
    copy.pointee.xOpen = { _, name, file, flags, outFlags in
      let code = WatchedDisk.base?.pointee.xOpen?(WatchedDisk.base, name, file, flags, outFlags)
      if let name, let file, String(cString: name).hasSuffix(WatchedDisk.marker + "-wal") {
        WatchedDisk.watch(file)
      }
      return code ?? SQLITE_CANTOPEN
    }
    base = found
    watched = copy
    return copy
  }

  /// Puts a method of ours in the place of an open file's own.
  private static func watch(_ file: UnsafeMutablePointer<sqlite3_file>) {
    guard let own = file.pointee.pMethods else { return }
    if methods == nil {
      let copy = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
      copy.initialize(to: own.pointee)
      copy.pointee.xSync = { file, flags in
        WatchedDisk.waitForRelease()
        WatchedDisk.syncs.add(1, ordering: .acquiringAndReleasing)
        // SQLITE_IOERR_FSYNC, a macro that Swift cannot see.
        if WatchedDisk.isBroken { return SQLITE_IOERR | (4 << 8) }
        return WatchedDisk.baseMethods?.pointee.xSync?(file, flags) ?? SQLITE_IOERR
      }
      baseMethods = own
      methods = copy
    }
    file.pointee.pMethods = UnsafePointer(methods)
  }
}
