import Foundation
import Glibc
import MailingList
import Signals
import TestSupport
import Testing

@testable import SQLiteStorage

@Suite struct SQLiteRestoreTests {
  private static let time = Timestamp(millisecondsSince1970: 1_795_320_306_789)
  private static let suffix = ".replaced-2026-11-22T04-05-06Z"

  /// Writes a backup with one subscriber and a database with two more.
  private func makeBackup(in folder: Folder) async throws -> String {
    let backup = folder("backup.sqlite")
    let store = try SQLiteSubscriberStore(path: folder.database)
    try await _ = store.add(try .sample("ada@example.org")).values()
    _ = try SQLiteBackup.write(folder.database, to: backup)
    for name in ["bob", "eve"] {
      try await _ = store.add(try .sample("\(name)@example.org")).values()
    }
    await store.close().ended()
    return backup
  }

  @Test func `restores a backup and keeps the old database as one file`() async throws {
    try await withFolder { folder in
      let backup = try await makeBackup(in: folder)
      // Leaves a log, as a service that was killed does.
      let writer = try SQLiteConnection(path: folder.database)
      LogFile.keep(true, of: writer)
      try writer.execute("UPDATE store_probe SET at = 7")
      try writer.close()
      #expect(try folder.files.contains("list.sqlite-wal"))

      let restore = try SQLiteRestore.run(backup, to: folder.database, at: Self.time)
      #expect(restore.replaced == DatabaseFiles.resolve(folder.database) + Self.suffix)
      #expect(restore.contents.subscribers == 1)
      #expect(restore.migration == SQLiteMigration(from: Migrations.latest, to: Migrations.latest))
      #expect(try Contents.addresses(at: folder.database) == ["ada@example.org"])
      #expect(try Contents.permissions(of: folder.database) == 0o600)
      // Another file may get the inode of the one that was replaced.
      #expect(LogOwner(readingFrom: folder.database + "-lock") == nil)
      let kept = folder.database + Self.suffix
      #expect(try Contents.addresses(at: kept).count == 3)
      let store = try SQLiteSubscriberStore(path: folder.database)
      try await _ = store.add(try .sample("next@example.org")).values()
      await store.close().ended()
      #expect(
        try folder.files == [
          "backup.sqlite", "list.sqlite", "list.sqlite-lock", "list.sqlite\(Self.suffix)",
        ]
      )
    }
  }

  @Test func `a restored database begins an epoch of its event log`() async throws {
    try await withFolder { folder in
      func page() async throws -> EventPage? {
        let reader = try SQLiteSubscriberReader(path: folder.database)
        return try await reader.events(after: 0, limit: 10).last()
      }
      let backup = try await makeBackup(in: folder)
      let before = try #require(try await page())
      #expect(before.newest == 3)
      _ = try SQLiteRestore.run(backup, to: folder.database, at: Self.time)
      let after = try #require(try await page())
      #expect(after.newest == 1)
      #expect(after.epoch != before.epoch)
    }
  }

  @Test func `restores twice in a second and keeps both databases`() async throws {
    try await withFolder { folder in
      let backup = try await makeBackup(in: folder)
      let first = try SQLiteRestore.run(backup, to: folder.database, at: Self.time)
      let second = try SQLiteRestore.run(backup, to: folder.database, at: Self.time)
      #expect(second.replaced == first.replaced.map { "\($0)-2" })
      #expect(try Contents.addresses(at: try #require(first.replaced)).count == 3)
      #expect(try Contents.addresses(at: try #require(second.replaced)).count == 1)
    }
  }

  @Test func `restores where no database is, and an older backup with its migration`() async throws
  {
    try await withFolder { folder in
      let backup = folder("backup.sqlite")
      let older = try SQLiteConnection(path: backup)
      try Migrations.run(older, path: backup)
      try older.execute(
        """
        INSERT INTO subscribers(address, address_key, state, created_at, updated_at)
          VALUES ('ada@example.org', 'ada@example.org', 1, 0, 0)
        """
      )
      try older.close()
      let bytes = try Data(contentsOf: URL(filePath: backup))
      let restore = try Migrations.$steps.withValue(.withNext) {
        try SQLiteRestore.run(backup, to: folder.database)
      }
      #expect(restore.replaced == nil)
      #expect(restore.migration == SQLiteMigration(from: 1, to: 2))
      #expect(restore.contents.areRowsRead)
      #expect(try Contents.addresses(at: folder.database) == ["ada@example.org"])
      #expect(try Data(contentsOf: URL(filePath: backup)) == bytes)
    }
  }

  @Test func `restores a copy of a database together with its log`() async throws {
    try await withFolder { folder in
      let store = try SQLiteSubscriberStore(path: folder.database)
      try await _ = store.add(try .sample("ada@example.org")).values()
      for suffix in ["", "-wal"] {
        try FileManager.default.copyItem(
          atPath: folder.database + suffix, toPath: folder("copy.sqlite") + suffix)
      }
      await store.close().ended()
      let restore = try SQLiteRestore.run(folder("copy.sqlite"), to: folder.database)
      #expect(restore.contents.subscribers == 1)
      #expect(try Contents.addresses(at: folder.database) == ["ada@example.org"])
    }
  }

  @Test func `restores nothing while a store is open`() async throws {
    try await withFolder { folder in
      let backup = try await makeBackup(in: folder)
      let store = try SQLiteSubscriberStore(path: folder.database)
      let error = #expect(throws: BackupError.self) {
        try SQLiteRestore.run(backup, to: folder.database)
      }
      #expect(error?.description.contains("in use by another service") == true)
      #expect(try store.count("subscribers") == 3)
      await store.close().ended()
    }
  }

  @Test func `restores nothing while another program reads the database`() async throws {
    try await withFolder { folder in
      let backup = try await makeBackup(in: folder)
      let reader = try SQLiteConnection(path: folder.database)
      _ = try reader.number("SELECT count(*) FROM subscribers")
      #expect(throws: BackupError.isOpenElsewhere(path: folder.database)) {
        try SQLiteRestore.run(backup, to: folder.database, busyTimeout: .zero)
      }
      try reader.close()
      #expect(try Contents.addresses(at: folder.database).count == 3)
      let others = try folder.files.filter { $0.contains("replaced") || $0.hasPrefix(".") }
      #expect(others.isEmpty)
    }
  }

  @Test(.enabled(if: Child.finds("python3"), "python3 is not installed"))
  func `restores when a program that uses the database has ended in time`() async throws {
    try await withFolder { folder in
      let backup = try await makeBackup(in: folder)
      // The lock of every connection that has the database open.
      let script = """
        import fcntl, signal
        file = open("\(folder.database)", "r+b")
        fcntl.lockf(file, fcntl.LOCK_SH, 510, 0x40000002)
        print("locked", flush=True)
        signal.pause()
        """
      let other = try Child(["python3", "-c", script])
      #expect(try other.nextLine() == "locked")
      let path = folder.database
      let restoration = Task(executorPreference: ThreadPerJob()) {
        try SQLiteRestore.run(backup, to: path, busyTimeout: .seconds(60))
      }
      // The restore has opened the old database, whose log it ends next.
      try eventually(within: .seconds(60)) { FileStatus(at: path + "-shm") != nil }
      try other.wait(after: SIGKILL)
      #expect(try await restoration.value.contents.subscribers == 1)
    }
  }

  @Test func `a damaged database is kept when it is replaced`() async throws {
    try await withFolder { folder in
      let backup = try await makeBackup(in: folder)
      try folder.write("this is no database, whatever its name says", to: "list.sqlite")
      let restore = try SQLiteRestore.run(backup, to: folder.database, at: Self.time)
      #expect(restore.contents.subscribers == 1)
      #expect(try Contents.addresses(at: folder.database) == ["ada@example.org"])
      #expect(try folder.read("list.sqlite\(Self.suffix)").hasPrefix("this is no database"))
    }
  }

  @Test func `the log of another database is kept and never copied into the restored one`()
    async throws
  {
    try await withFolder { folder in
      let backup = try await makeBackup(in: folder)
      let log = try folder.write("log of another database", to: "list.sqlite-wal")
      let inode = try #require(FileIdentity(at: log)).inode
      try folder.write("database 1\nlog \(inode)\n", to: "list.sqlite-lock")
      let restore = try SQLiteRestore.run(backup, to: folder.database, at: Self.time)
      #expect(restore.contents.subscribers == 1)
      let files = try folder.files
      #expect(!files.contains("list.sqlite-wal"))
      #expect(try folder.read("list.sqlite\(Self.suffix)-wal") == "log of another database")
      // The record of the old log does not keep the service from starting.
      let store = try SQLiteSubscriberStore(path: folder.database)
      await store.close().ended()
    }
  }

  /// What can be wrong with a backup.
  enum Damage: CaseIterable, CustomTestStringConvertible {
    case truncated, overwritten, empty, text, foreign, newer, invalidRow, danglingReference

    var testDescription: String { "\(self)" }

    func apply(to path: String) throws {
      switch self {
      case .truncated: try Contents.spoil(path) { $0 = Data($0.prefix($0.count / 2)) }
      case .overwritten:
        try Contents.spoil(path) { bytes in
          for index in stride(from: 4096, to: bytes.count, by: 7) { bytes[index] ^= 0x55 }
        }
      case .empty: try Contents.spoil(path) { $0 = Data() }
      case .text: try Contents.spoil(path) { $0 = Data("this is no database at all".utf8) }
      case .foreign: try Contents.change(path, "DROP TABLE schema_migrations")
      case .newer: try Contents.change(path, "INSERT INTO schema_migrations VALUES (99, 0)")
      case .invalidRow: try Contents.change(path, "UPDATE subscribers SET state = 9")
      case .danglingReference: try Contents.change(path, "UPDATE consents SET subscriber_id = 99")
      }
    }
  }

  @Test(arguments: Damage.allCases)
  func `rejects a backup that is not intact, and changes nothing`(_ damage: Damage) async throws {
    try await withFolder { folder in
      let backup = try await makeBackup(in: folder)
      try damage.apply(to: backup)
      let files = try folder.files
      let bytes = try Data(contentsOf: URL(filePath: folder.database))
      let error = #expect(throws: BackupError.self) {
        try SQLiteRestore.run(backup, to: folder.database)
      }
      #expect(error?.description.contains(backup) == true, "\(String(describing: error))")
      #expect(error?.description.contains("@") == false)
      #expect(throws: BackupError.self) { try SQLiteVerification.run(on: backup) }
      #expect(try Data(contentsOf: URL(filePath: folder.database)) == bytes)
      #expect(try folder.files == files)
    }
  }

  @Test func `rejects the database itself and a missing file as backups`() async throws {
    try await withFolder { folder in
      _ = try await makeBackup(in: folder)
      #expect(throws: BackupError.isDatabase(path: folder.database)) {
        try SQLiteRestore.run(folder.database, to: folder.database)
      }
      #expect(throws: BackupError.self) {
        try SQLiteRestore.run(folder("nowhere"), to: folder.database)
      }
      #expect(try Contents.addresses(at: folder.database).count == 3)
    }
  }

  @Test func `an interrupted restore changes nothing`() async throws {
    try await withFolder { folder in
      let backup = try await makeBackup(in: folder)
      try Contents.change(backup, Contents.adding(20_000))
      let files = try folder.files
      #expect(throws: BackupError.interrupted) {
        try SQLiteRestore.run(backup, to: folder.database, proceed: { _ in false })
      }
      #expect(try folder.files == files)
      #expect(try Contents.addresses(at: folder.database).count == 3)
    }
  }
}
