import Foundation
import Glibc
import TestSupport
import Testing

@testable import SQLiteStorage
@testable import enlist

/// Tests of `enlist restore`, `enlist verify` and `enlist migrate`.
@Suite struct RestoreTests {
  @Test(arguments: [SIGTERM, SIGKILL])
  func `a restored service answers, and the old database is kept`(_ signal: Int32) throws {
    let service = try serviceWithBackup()
    let folder = service.folder
    try service.process.wait(after: signal)
    let restore = try service.run("restore", "backup.sqlite")
    #expect(restore.end == .exit(0))
    #expect(restore.errors == "")
    let line = /(?m)^kept the old database as (.*)$/
    let kept = try #require(restore.output.firstMatch(of: line)?.1, "\(restore.output)")
    #expect(
      restore.output
        == "restored 1 subscriber and 1 consent\nkept the old database as \(kept)\n")
    #expect(kept.contains(/enlist\.sqlite\.replaced-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/), "\(kept)")
    let old = try subscriberCount(in: String(kept), of: folder)
    #expect(old == 2)

    let next = try Enlist(["--drain", "0s"], in: folder)
    let addresses = try next.addresses()
    #expect(addresses == ["first@example.org"])
    try next.signUp("third@example.org").expect(202)
    try next.get("/readyz").expect(200)
    let verified = try next.run("verify")
    #expect(verified.output.hasPrefix("intact: 2 subscribers and 2 consents"), "\(verified)")
  }

  @Test func `nothing is restored or migrated while a service runs`() throws {
    let service = try serviceWithBackup()
    for command in [["restore", "backup.sqlite"], ["migrate"]] {
      let run = try Child.run(["enlist"] + command, in: service.folder)
      #expect(run.end == .exit(75))
      #expect(run.output == "")
      #expect(run.errors.contains("is in use by another service"), "\(run.errors)")
      #expect(run.errors.utf8.count { $0 == 10 } == 1, "\(run.errors)")
    }
    try service.signUp("third@example.org").expect(202)
    let addresses = try service.addresses()
    #expect(addresses.count == 3)
    let hidden = try service.folder.hiddenFiles
    #expect(hidden == [])
  }

  @Test(
    arguments: [
      ("bytes[index] ^= 0x55", "damaged"),
      ("truncate", "damaged"),
      ("newer", "has schema version 99, but this program only knows"),
      ("foreign", "belongs to another program"),
    ]
  )
  func `an unusable backup is rejected with exit code 65`(_ damage: String, _ text: String) throws {
    let service = try serviceWithBackup()
    let folder = service.folder
    _ = try service.stop()
    let file = URL(filePath: folder("backup.sqlite"))
    var bytes = try Data(contentsOf: file)
    switch damage {
    case "truncate": try bytes.prefix(bytes.count / 2).write(to: file)
    case "newer", "foreign":
      try SQLiteFile(file.path).execute(
        damage == "newer"
          ? "INSERT INTO schema_migrations VALUES (99, 0)" : "DROP TABLE schema_migrations")
    default:
      for index in stride(from: 4096, to: bytes.count, by: 7) { bytes[index] ^= 0x55 }
      try bytes.write(to: file)
    }
    for command in ["restore", "verify"] {
      let run = try service.run(command, "backup.sqlite")
      #expect(run.end == .exit(65))
      #expect(run.output == "")
      #expect(run.errors.hasPrefix("enlist: The database backup.sqlite "), "\(run.errors)")
      #expect(run.errors.contains(text), "\(run.errors)")
      #expect(run.errors.utf8.count { $0 == 10 } == 1, "\(run.errors)")
    }
    let count = try subscriberCount(in: "enlist.sqlite", of: folder)
    #expect(count == 2)
    let names = try folder.names
    #expect(!names.contains { $0.contains(".replaced-") || $0.hasPrefix(".") }, "\(names)")
  }

  @Test func `a pipe in the place of a backup is rejected at once`() throws {
    let folder = try Folder()
    try #require(mkfifo(folder("backup.sqlite"), 0o600) == 0)
    for command in ["restore", "verify"] {
      let run = try Child.run(["enlist", command, "backup.sqlite"], in: folder)
      #expect(run.end == .exit(1))
      let reason = "it is not a regular file."
      #expect(run.errors == "enlist: Cannot open the database backup.sqlite: \(reason)\n")
    }
    let names = try folder.names
    #expect(names == ["backup.sqlite"])
  }

  @Test(
    arguments: [
      ["verify", "other.sqlite"], ["backup", "copy.sqlite"], ["restore", "other.sqlite"],
    ],
    [SIGINT, SIGTERM]
  )
  func `a command that waits for another program ends on a signal`(
    _ arguments: [String], _ signal: Int32
  ) throws {
    let folder = try Folder()
    let database = arguments[0] == "backup" ? "enlist.sqlite" : "other.sqlite"
    let holder = try SQLiteFile(folder(database))
    try holder.execute("CREATE TABLE t(x); BEGIN EXCLUSIVE")
    let command = try Child(["enlist"] + arguments + ["--database-timeout", "60s"], in: folder)
    try command.waitUntilOpen(database)
    let end = try command.wait(after: signal)
    #expect(end == .signal(signal) || end == .exit(1))
    withExtendedLifetime(holder) {}
  }

  @Test(.needsSlowWrites)
  func `a killed restore leaves the old database, and the next one succeeds`() throws {
    let folder = try LongList.folder(count: 20_000)
    let backup = try Child.run(["enlist", "backup", "backup.sqlite"], in: folder)
    try #require(backup.end == .exit(0), "\(backup.errors)")
    let database = URL(filePath: folder("enlist.sqlite"))
    let bytes = try Data(contentsOf: database)
    let killed = try Child(
      SlowWrites.launcher + ["enlist", "restore", "backup.sqlite"], in: folder)
    try eventually("a partial file, after \(killed.errors)", within: .seconds(60)) {
      folder.hasBytes(in: ".enlist.sqlite.enlist-partial")
    }
    let end = try killed.wait(after: SIGKILL)
    try #require(end == .signal(SIGKILL))
    let isUnchanged = try Data(contentsOf: database) == bytes
    #expect(isUnchanged)
    let next = try Child.run(["enlist", "restore", "backup.sqlite"], in: folder)
    #expect(next.end == .exit(0), "\(next.errors)")
    #expect(
      next.output.hasPrefix("restored 20000 subscribers and 20000 consents\n"), "\(next.output)")
    let hidden = try folder.hiddenFiles
    #expect(hidden == [])
  }

  @Test func `migrate prints the version of the schema`() throws {
    let service = try Enlist()
    _ = try service.stop()
    let migrate = try service.run("migrate")
    #expect(migrate.end == .exit(0), "\(migrate.errors)")
    #expect(migrate.output == "schema version \(Migrations.latest) is current\n")
    // A file of version 0 has only the table of versions.
    let table = try SQLiteFile(service.folder("enlist.sqlite"), isReadOnly: true)
      .texts("SELECT sql FROM sqlite_schema WHERE name = 'schema_migrations'")
    try SQLiteFile(service.folder("old.sqlite")).execute(table.joined())
    let old = try service.run("migrate", "--database", "sqlite:old.sqlite")
    #expect(old.output == "migrated from schema version 0 to \(Migrations.latest)\n", "\(old)")
  }

  /// Starts a service with two subscribers, of whom `backup.sqlite` contains the first.
  private func serviceWithBackup() throws -> Enlist {
    let service = try Enlist(["--drain", "0s"])
    try service.signUp("first@example.org").expect(202)
    let backup = try service.run("backup", "backup.sqlite")
    try #require(backup.end == .exit(0), "\(backup.errors)")
    try service.signUp("second@example.org").expect(202)
    return service
  }

  private func subscriberCount(in database: String, of folder: Folder) throws -> Int {
    let export = try Child.run(
      ["enlist", "export", "--database", "sqlite:\(database)"], in: folder)
    try #require(export.end == .exit(0), "\(export.errors)")
    return export.output.split(separator: "\r\n").count - 1
  }
}

extension Child {
  /// Waits until the process has opened the file with a name.
  func waitUntilOpen(_ file: String) throws {
    let descriptors = "/proc/\(id)/fd"
    try eventually("\(file) among the open files") {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: descriptors)) ?? []
      return names.contains { name in
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\(name)"))?
          .hasSuffix("/\(file)") == true
      }
    }
  }
}
