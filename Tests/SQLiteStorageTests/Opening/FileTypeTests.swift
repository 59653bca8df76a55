import Foundation
import Glibc
import Signals
import MailingList
import TestSupport
import Testing

@testable import SQLiteStorage

/// Tests of paths that name something other than a file, which SQLite would open and wait for.
@Suite struct FileTypeTests {
  /// What has become of a closure; `nil` before its end.
  private final class Outcome: Sendable {
    let text = Lock<String?>(nil)
  }

  /// Runs a closure on a thread of its own, which would not end if it waited for a pipe, and
  /// returns its error.
  private func outcome(of open: @escaping @Sendable () throws -> Void) throws -> String {
    let outcome = Outcome()
    Thread.detachNewThread {
      do {
        try open()
        outcome.text.withLock { $0 = "opened" }
      } catch {
        outcome.text.withLock { [text = "\(error)"] in $0 = text }
      }
    }
    return try eventually { outcome.text.withLock { $0 } }
  }

  @Test(arguments: ["", "-journal", "-wal", "-shm", "-lock"])
  func `a pipe in the place of a file is rejected and not opened`(_ suffix: String) async throws {
    try await withFolder { folder in
      let store = try SQLiteSubscriberStore(path: folder.database)
      await store.close().ended()
      let path = folder.database + suffix
      unlink(path)
      try #require(mkfifo(path, 0o600) == 0)
      let database = folder.database
      let openings: [@Sendable () throws -> Void] = [
        { _ = try SQLiteSubscriberStore(path: database) },
        { _ = try SQLiteSubscriberReader(path: database) },
        { _ = try ListCommands(CommandDatabase(path: database), keyring: nil) },
        { _ = try SQLiteVerification.run(on: database) },
        { _ = try SQLiteRestore.run(database, to: folder("other.sqlite")) },
      ]
      for open in openings {
        #expect(try outcome(of: open).contains("is not a regular file"))
      }
      let files = try folder.files
      #expect(!files.contains { $0.hasPrefix("other.sqlite") }, "the lock was taken: \(files)")
    }
  }

  @Test func `an error names the folder that does not exist`() async throws {
    try await withFolder { folder in
      let path = folder("nowhere/list.sqlite")
      for open in [
        { _ = try SQLiteSubscriberStore(path: path) },
        { _ = try SQLiteSubscriberReader(path: path) },
        { _ = try ListCommands(CommandDatabase(path: path), keyring: nil) },
      ] {
        let error = #expect(throws: StoreOpeningError.self) { try open() }
        let reason = "the folder \(folder("nowhere")) does not exist"
        #expect(error?.description == "Cannot open the database \(path): \(reason).")
      }
    }
  }

  @Test func `a command that finds no file says so, and how the service creates that of a list`()
    async throws
  {
    try await withFolder { folder in
      let path = folder.database
      let message = "Cannot open the database \(path): the file does not exist."
      let remedy = " Check the path, or start the service once, which creates it."
      for (remedy, open) in [
        (remedy, { _ = try SQLiteSubscriberReader(path: path) }),
        (remedy, { _ = try ListCommands(CommandDatabase(path: path), keyring: nil) }),
        (remedy, { _ = try SQLiteMigration.run(on: path) }),
        (remedy, { _ = try SQLiteBackup.write(path, to: folder("copy.sqlite")) }),
        // Of a backup.
        ("", { _ = try SQLiteVerification.run(on: path) }),
        ("", { _ = try SQLiteRestore.run(path, to: folder("other.sqlite")) }),
        ("", { _ = try SQLiteCopyEnd(path: path, as: .source) }),
      ] as [(String, () throws -> Void)] {
        let error = #expect(throws: (any Error).self) { try open() }
        #expect(error.map { "\($0)" } == message + remedy)
      }
    }
  }
}
