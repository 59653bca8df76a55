import Foundation
import Glibc
import Signals
import MailingList
import TestSupport
import Testing

@testable import SQLiteStorage

@Suite struct SQLiteBackupTests {
  @Test func `a backup contains what is only in the log, and is for its owner alone`() async throws
  {
    try await withStore { store, folder in
      for name in ["ada", "bob"] {
        try await _ = store.add(try .sample("\(name)@example.org")).values()
      }
      let target = folder("copy.sqlite")
      let backup = try SQLiteBackup.write(folder.database, to: target)
      try await _ = store.add(try .sample("later@example.org")).values()
      #expect(backup.schemaVersion == Migrations.latest)
      #expect(backup.byteCount == (try Data(contentsOf: URL(filePath: target)).count))
      #expect(try Contents.permissions(of: target) == 0o600)
      #expect(try Contents.addresses(at: target) == ["ada@example.org", "bob@example.org"])
      let hidden = try folder.files.filter { $0.hasPrefix(".") }
      #expect(hidden.isEmpty)
    }
  }

  @Test func `a backup waits for no writer, and no writer waits for it`() async throws {
    try await withStore(.init(busyTimeout: .zero)) { store, folder in
      try await _ = store.add(try .sample("ada@example.org")).values()
      let other = try OtherProcess(holding: folder.database)
      _ = try SQLiteBackup.write(
        folder.database, to: folder("copy.sqlite"), busyTimeout: .zero)
      try other.release()
      // A sign-up in the middle of the copy.
      try store.withConnection { try $0.execute(Contents.adding(20_000)) }
      let writer = try SQLiteFile(folder.database)
      let written = Lock(false)
      _ = try SQLiteBackup.write(folder.database, to: folder("copy.sqlite")) { _ in
        if !written.withLock({ $0 }) {
          let result: Void? = try? writer.execute("UPDATE store_probe SET at = 7")
          written.withLock { $0 = result != nil }
        }
        return true
      }
      #expect(written.withLock { $0 })
    }
  }

  @Test func `an interrupted backup leaves the old file and nothing else`() async throws {
    try await withStore { store, folder in
      try await _ = store.add(try .sample("ada@example.org")).values()
      try store.withConnection { try $0.execute(Contents.adding(20_000)) }
      let target = try folder.write("SQLite format 3\0old", to: "copy.sqlite")
      let files = try folder.files
      #expect(throws: BackupError.interrupted) {
        try SQLiteBackup.write(folder.database, to: target) { _ in false }
      }
      #expect(try folder.read("copy.sqlite") == "SQLite format 3\0old")
      #expect(try folder.files == files)
    }
  }

  @Test func `a backup removes what killed processes left, but not what others are writing`()
    async throws
  {
    try await withStore { _, folder in
      for name in [".old.sqlite.enlist-partial", ".old.sqlite.enlist-partial-journal", ".kept"] {
        try folder.write("left", to: name)
      }
      let other = try PartialFile(replacing: folder("other.sqlite"))
      #expect(
        !FileManager.default.fileExists(atPath: folder(".old.sqlite.enlist-partial")))
      let target = folder("copy.sqlite")
      _ = try SQLiteBackup.write(folder.database, to: target)
      #expect(FileManager.default.fileExists(atPath: other.path))
      #expect(throws: BackupError.isBeingWritten(path: other.target)) {
        try SQLiteBackup.write(folder.database, to: other.target)
      }
      let hidden = try folder.files.filter { $0.hasPrefix(".") }
      #expect(hidden == [".kept", ".other.sqlite.enlist-partial"])
      withExtendedLifetime(other) {}
    }
  }

  @Test(arguments: ["list.sqlite", "list.sqlite-wal", "list.sqlite-relay", "link.sqlite"])
  func `rejects the database and the files next to it as targets`(_ name: String) async throws {
    try await withStore { store, folder in
      try await _ = store.add(try .sample("ada@example.org")).values()
      try FileManager.default.createSymbolicLink(
        atPath: folder("link.sqlite"), withDestinationPath: "list.sqlite")
      let path = folder(name)
      #expect(throws: BackupError.isDatabase(path: path)) {
        try SQLiteBackup.write(folder.database, to: path)
      }
      try await _ = store.add(try .sample("bob@example.org")).values()
    }
  }

  @Test(arguments: ["wal", "journal"])
  func `rejects a target that may be a database in use`(log: String) async throws {
    try await withStore { _, folder in
      let used = try folder.write("database", to: "used.sqlite")
      try folder.write("log", to: "used.sqlite-\(log)")
      #expect(throws: BackupError.hasLog(path: used, log: "\(used)-\(log)")) {
        try SQLiteBackup.write(folder.database, to: used)
      }
      #expect(try folder.read("used.sqlite") == "database")
    }
  }

  @Test func `rejects a target that is no file`() async throws {
    try await withStore { _, folder in
      #expect(throws: BackupError.notAFile(path: folder.path)) {
        try SQLiteBackup.write(folder.database, to: folder.path)
      }
      #expect(throws: BackupError.self) {
        try SQLiteBackup.write(folder.database, to: folder("nowhere/copy.sqlite"))
      }
    }
  }

  @Test func `a backup replaces no file but a backup, or an empty one`() async throws {
    try await withStore { _, folder in
      let notes = try folder.write("notes", to: "notes")
      let link = folder("link")
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "notes")
      for path in [notes, link] {
        #expect(throws: BackupError.notABackup(path: path)) {
          try SQLiteBackup.write(folder.database, to: path)
        }
      }
      #expect(try folder.read("notes") == "notes")
      let copy = try folder.write("", to: "copy")
      for _ in 0..<2 { _ = try SQLiteBackup.write(folder.database, to: copy) }
      #expect(try Contents.addresses(at: copy) == [])
    }
  }

  @Test func `a symbolic link is followed to the backup that it names`() async throws {
    try await withStore { _, folder in
      try folder.write("", to: "real.sqlite")
      let link = folder("latest.sqlite")
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "real.sqlite")
      _ = try SQLiteBackup.write(folder.database, to: link)
      #expect(try Contents.addresses(at: folder("real.sqlite")) == [])
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "real.sqlite")
    }
  }

  @Test func `backs up a database of an earlier release, but not of a later one`() async throws {
    try await withFolder { folder in
      let older = try SQLiteConnection(path: folder.database)
      try Migrations.run(older, path: folder.database)
      let target = folder("copy.sqlite")
      let backup = try Migrations.$steps.withValue(.withNext) {
        try SQLiteBackup.write(folder.database, to: target)
      }
      #expect(backup.schemaVersion == 1)
      try older.execute("INSERT INTO schema_migrations VALUES (99, 0)")
      try older.close()
      let expected = BackupError.database(
        .schemaNewer(path: folder.database, found: 99, known: Migrations.latest))
      #expect(throws: expected) { try SQLiteBackup.write(folder.database, to: target) }
    }
  }

  @Test func `a backup does not create a missing database`() async throws {
    try await withFolder { folder in
      #expect(throws: BackupError.self) {
        try SQLiteBackup.write(folder.database, to: folder("copy.sqlite"))
      }
      let files = try folder.files
      #expect(files.isEmpty)
    }
  }
}
