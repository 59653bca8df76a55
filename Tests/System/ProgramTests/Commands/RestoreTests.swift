import Foundation
import Glibc
import TestSupport
import Testing

@testable import SQLiteStorage
@testable import enlist

/// Tests of `enlist restore`, `enlist verify` and `enlist migrate` with real files and processes.
@Suite struct RestoreTests {
  /// Starts a service with two subscribers, of whom `backup.sqlite` contains the first.
  private func serviceWithBackup() throws -> RunningService {
    let service = try RunningService(["--drain", "0s"])
    #expect(try service.signUp("first@example.org").status == 202)
    let backup = try CommandRun(["backup", "backup.sqlite"], in: service.folder)
    try #require(backup.end == .exit(0), "\(backup.errors)")
    #expect(try service.signUp("second@example.org").status == 202)
    return service
  }

  private func stop(_ service: RunningService, _ signal: Int32 = SIGTERM) throws {
    service.process.send(signal: signal)
    try service.process.wait()
  }

  private func exportedLines(_ database: String, in folder: TemporaryFolder) throws -> Int {
    let export = try CommandRun(["export", "--database", "sqlite:\(database)"], in: folder)
    #expect(export.end == .exit(0), "\(export.errors)")
    return export.output.split(separator: "\r\n").count - 1
  }

  @Test(arguments: [SIGTERM, SIGKILL])
  func `a restored service answers, and the old database is kept`(_ signal: Int32) throws {
    let service = try serviceWithBackup()
    let folder = service.folder
    try stop(service, signal)
    let restore = try CommandRun(["restore", "backup.sqlite"], in: folder)
    #expect(restore.end == .exit(0))
    #expect(restore.errors.isEmpty)
    let lines = restore.output.split(separator: "\n")
    try #require(lines.count == 2, "\(restore.output)")
    #expect(lines[0] == "restored 1 subscriber and 1 consent")
    let prefix = "kept the old database as "
    try #require(lines[1].hasPrefix(prefix))
    let kept = String(lines[1].dropFirst(prefix.count))
    #expect(kept.contains(/enlist\.sqlite\.replaced-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/))
    #expect(try exportedLines(kept, in: folder) == 2)

    let next = try RunningService(["--drain", "0s"], in: folder)
    #expect(try next.exportedAddresses() == ["first@example.org"])
    #expect(try next.signUp("third@example.org").status == 202)
    #expect(try next.request("GET", "/readyz").status == 200)
    let verified = try CommandRun(["verify"], in: folder)
    #expect(verified.output.hasPrefix("intact: 2 subscribers and 2 consents"))
  }

  @Test func `nothing is restored or migrated while a service runs`() throws {
    let service = try serviceWithBackup()
    for command in [["restore", "backup.sqlite"], ["migrate"]] {
      let run = try CommandRun(command, in: service.folder)
      #expect(run.end == .exit(75))
      #expect(run.output.isEmpty)
      #expect(run.errors.contains("is in use by another service"), "\(run.errors)")
      #expect(run.errors.utf8.count { $0 == 10 } == 1)
    }
    #expect(try service.signUp("third@example.org").status == 202)
    #expect(try service.exportedAddresses().count == 3)
    #expect(try service.folder.hiddenFiles.isEmpty)
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
    try stop(service)
    let file = URL(filePath: folder.path(of: "backup.sqlite"))
    var bytes = try Data(contentsOf: file)
    switch damage {
    case "truncate": try bytes.prefix(bytes.count / 2).write(to: file)
    case "newer", "foreign":
      try SQLiteFile(file.path).execute(
        damage == "newer"
          ? "INSERT INTO schema_migrations VALUES (99, 0)" : "DROP TABLE schema_migrations"
      )
    default:
      for index in stride(from: 4096, to: bytes.count, by: 7) { bytes[index] ^= 0x55 }
      try bytes.write(to: file)
    }
    for command in ["restore", "verify"] {
      let run = try CommandRun([command, "backup.sqlite"], in: folder)
      #expect(run.end == .exit(65))
      #expect(run.output.isEmpty)
      #expect(run.errors.hasPrefix("enlist: The database backup.sqlite "), "\(run.errors)")
      #expect(run.errors.contains(text), "\(run.errors)")
      #expect(run.errors.utf8.count { $0 == 10 } == 1)
    }
    #expect(try exportedLines("enlist.sqlite", in: folder) == 2)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(!files.contains { $0.contains(".replaced-") || $0.hasPrefix(".") })
  }

  @Test func `a pipe in the place of a backup is rejected at once`() throws {
    let folder = try TemporaryFolder()
    try #require(mkfifo(folder.path(of: "backup.sqlite"), 0o600) == 0)
    for command in ["restore", "verify"] {
      let run = try CommandRun([command, "backup.sqlite"], in: folder)
      #expect(run.end == .exit(1))
      #expect(
        run.errors
          == "enlist: Cannot open the database backup.sqlite: it is not a regular file.\n"
      )
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["backup.sqlite"])
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
    let folder = try TemporaryFolder()
    let database = arguments[0] == "backup" ? "enlist.sqlite" : "other.sqlite"
    let path = folder.path(of: database)
    let holder = try SQLiteFile(path)
    try holder.execute("CREATE TABLE t(x); BEGIN EXCLUSIVE")
    let command = try ChildProcess("enlist", arguments + ["--database-timeout", "60s"], in: folder)
    try command.waitUntilOpen(database)
    command.send(signal: signal)
    let end = try command.wait(by: Deadline(after: .seconds(30)))
    #expect(end == .signal(signal) || end == .exit(1))
    withExtendedLifetime(holder) {}
  }

  @Test func `a killed restore leaves the old database, and the next one succeeds`() throws {
    let folder = try LongList.folder(count: 100_000)
    let backup = try CommandRun(["backup", "backup.sqlite"], in: folder)
    try #require(backup.end == .exit(0), "\(backup.errors)")
    let database = URL(filePath: folder.path(of: "enlist.sqlite"))
    let bytes = try Data(contentsOf: database)
    let killed = try ChildProcess("enlist", ["restore", "backup.sqlite"], in: folder)
    try Deadline(after: .seconds(60)).wait {
      folder.hasBytes(in: ".enlist.sqlite.enlist-partial")
    }
    killed.send(signal: SIGKILL)
    try #require(try killed.wait() == .signal(SIGKILL))
    #expect(try Data(contentsOf: database) == bytes)
    let next = try CommandRun(["restore", "backup.sqlite"], in: folder)
    #expect(next.end == .exit(0), "\(next.errors)")
    #expect(next.output.hasPrefix("restored 100000 subscribers and 100000 consents\n"))
    #expect(try folder.hiddenFiles.isEmpty)
  }

  @Test func `migrate prints the version of the schema`() throws {
    let folder = try TemporaryFolder()
    let service = try RunningService(in: folder)
    _ = try service.endAndReadLog()
    let migrate = try CommandRun(["migrate"], in: folder)
    #expect(migrate.end == .exit(0), "\(migrate.errors)")
    #expect(migrate.output == "schema version \(Migrations.latest) is current\n")
    #expect(SQLiteMigration(from: 1, to: 2).summary == "migrated from schema version 1 to 2")
  }
}

extension ChildProcess {
  /// Waits until the process has opened the file with a name.
  func waitUntilOpen(_ file: String) throws {
    let descriptors = "/proc/\(id)/fd"
    try Deadline(after: .seconds(60)).wait {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: descriptors)) ?? []
      return names.contains { name in
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\(name)"))?
          .hasSuffix("/\(file)") == true
      }
    }
  }
}
