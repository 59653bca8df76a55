import CSQLite
import Foundation
import Glibc
import MailingList
import Signals
import Synchronization
import TestSupport
import Testing

@testable import SQLiteStorage

/// Tests that a commit waits for the disk, observed in the file system layer of SQLite.
@Suite(.serialized) struct DurabilityTests {
  @Test func `every commit syncs the log to disk`() async throws {
    try await withFolder { folder in
      let path = folder(WatchedDisk.marker)
      let store = try WatchedDisk.whileInstalled { try SQLiteSubscriberStore(path: path) }
      // The first commit begins the log again, which the writer has copied when it started.
      try await _ = store.add(try .sample()).values()
      for _ in 0..<10 {
        let before = WatchedDisk.count
        try await _ = store.add(try .sample()).values()
        #expect(WatchedDisk.count == before + 1)
      }
      // The counter detects the difference: with NORMAL, only the next checkpoint syncs the log.
      try store.withConnection { try $0.execute("PRAGMA synchronous = NORMAL") }
      let before = WatchedDisk.count
      for _ in 0..<10 { try await _ = store.add(try .sample()).values() }
      #expect(WatchedDisk.count == before)
      await store.close().ended()
    }
  }

  @Test func `a failed commit fails its whole batch and the next batch succeeds`() async throws {
    try await withFolder { folder in
      let path = folder(WatchedDisk.marker)
      let store = try WatchedDisk.whileInstalled { try SQLiteSubscriberStore(path: path) }
      let signUps = try (0..<8).map { try SignUp.sample("person\($0)@example.org") }
      WatchedDisk.isBroken = true
      let failed = await store.outcomes(ofBatch: signUps)
      WatchedDisk.isBroken = false
      #expect(failed.allSatisfy { $0 == .failure(.failed(code: SQLITE_IOERR | (4 << 8))) })
      #expect(try store.count("subscribers") == 0)
      let stored = await store.outcomes(ofBatch: signUps)
      #expect(stored == signUps.map { _ in .success([]) })
      #expect(try store.count("consents") == 8)
      await store.close().ended()
    }
  }

  @Test
  func `the deadline fails queued sign-ups but not those that wait for the disk`()
    async throws
  {
    try await withFolder { folder in
      let path = folder(WatchedDisk.marker)
      let store = try WatchedDisk.whileInstalled {
        try SQLiteSubscriberStore(path: path, configuration: .init(maximumBatch: 1))
      }
      // The writer syncs its log when it starts, too.
      try await _ = store.add(try .sample()).values()
      WatchedDisk.hang()
      let outcomes = try (0..<20).map { store.add(try .sample("p\($0)@example.org")).replay() }
      try eventually { WatchedDisk.isHanging }
      let finished = store.finish(within: .milliseconds(50)).replay()
      for outcome in outcomes.dropFirst() {
        #expect(await outcome.collected() == .failure(.closed))
      }
      WatchedDisk.release()
      await finished.ended()
      #expect(await outcomes[0].collected() == .success([]))
      #expect(try store.count("subscribers") == 2)
      await store.close().ended()
    }
  }
}

/// A file system for SQLite that counts `xSync` calls for one database's log and can fail them.
///
/// It forwards all calls to the previous default file system (<https://www.sqlite.org/vfs.html>). A
/// connection keeps the file system with which it was opened.
private enum WatchedDisk {
  /// The name of the database whose log is watched.
  static let marker = "watched.sqlite"

  private static let syncs = Atomic(0)
  private static let broken = Atomic(false)
  // The next four are nonisolated(unsafe) because they are set before a file that uses them is
  // opened, and the tests of the suite run serially.
  nonisolated(unsafe) private static var base: UnsafeMutablePointer<sqlite3_vfs>?
  nonisolated(unsafe) private static var watched: UnsafeMutablePointer<sqlite3_vfs>?
  nonisolated(unsafe) private static var methods: UnsafeMutablePointer<sqlite3_io_methods>?
  nonisolated(unsafe) private static var baseMethods: UnsafePointer<sqlite3_io_methods>?

  /// The number of times that the log was synced.
  static var count: Int { syncs.load(ordering: .acquiring) }

  /// Whether syncing the log fails.
  static var isBroken: Bool {
    get { broken.load(ordering: .acquiring) }
    set { broken.store(newValue, ordering: .releasing) }
  }

  private static let hangs = Atomic(false)
  private static let hanging = Atomic(false)

  /// Whether a sync is waiting for ``release()``.
  static var isHanging: Bool { hanging.load(ordering: .acquiring) }

  /// Makes the next sync wait.
  static func hang() {
    hangs.store(true, ordering: .releasing)
  }

  /// Lets the waiting sync continue.
  static func release() {
    hangs.store(false, ordering: .releasing)
  }

  private static func waitForRelease() {
    guard hangs.load(ordering: .acquiring) else { return }
    hanging.store(true, ordering: .releasing)
    // After the deadline, the test fails because its sign-ups are stored.
    try? eventually(within: .seconds(30)) { !hangs.load(ordering: .acquiring) }
    hanging.store(false, ordering: .releasing)
  }

  /// Calls a closure while this file system is the default.
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

  /// Replaces the `xSync` method of an open file.
  private static func watch(_ file: UnsafeMutablePointer<sqlite3_file>) {
    guard let own = file.pointee.pMethods else { return }
    if methods == nil {
      let copy = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
      copy.initialize(to: own.pointee)
      copy.pointee.xSync = { file, flags in
        WatchedDisk.waitForRelease()
        WatchedDisk.syncs.add(1, ordering: .acquiringAndReleasing)
        // SQLITE_IOERR_FSYNC, a macro that Swift does not import.
        if WatchedDisk.isBroken { return SQLITE_IOERR | (4 << 8) }
        return WatchedDisk.baseMethods?.pointee.xSync?(file, flags) ?? SQLITE_IOERR
      }
      baseMethods = own
      methods = copy
    }
    file.pointee.pMethods = UnsafePointer(methods)
  }
}
