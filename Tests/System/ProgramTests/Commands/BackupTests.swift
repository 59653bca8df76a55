import Foundation
import TestSupport
import Testing

/// Tests of `enlist backup` with real files and processes.
@Suite struct BackupTests {
  /// Starts a backup and waits until a part of it is in its folder.
  private func startBackup(in folder: TemporaryFolder) throws -> ChildProcess {
    let backup = try ChildProcess("enlist", ["backup", "backup.sqlite"], in: folder)
    try Deadline(after: .seconds(60)).wait {
      folder.hasBytes(in: ".backup.sqlite.enlist-partial")
    }
    return backup
  }

  @Test func `a backup contains the list, and can be read by the other commands`() throws {
    let service = try RunningService(["--drain", "0s"])
    for name in ["ada", "bob", "ada"] {
      #expect(try service.signUp("\(name)@example.org").status == 202)
    }
    let backup = try CommandRun(["backup", "backup.sqlite"], in: service.folder)
    #expect(backup.end == .exit(0))
    #expect(backup.errors.isEmpty)
    let line = /wrote backup\.sqlite: \d+ bytes, schema version \d+\n/
    #expect(backup.output.wholeMatch(of: line) != nil, "\(backup.output)")
    #expect(try service.signUp("later@example.org").status == 202)

    let file = service.folder.path(of: "backup.sqlite")
    let attributes = try FileManager.default.attributesOfItem(atPath: file)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let verified = try CommandRun(["verify", "backup.sqlite"], in: service.folder)
    #expect(verified.end == .exit(0), "\(verified.errors)")
    #expect(verified.output.hasPrefix("intact: 2 subscribers and 3 consents, schema version "))
    let export = try CommandRun(
      ["export", "--database", "sqlite:backup.sqlite"], in: service.folder)
    #expect(export.output.split(separator: "\r\n").count == 3, "\(export.errors)")
    #expect(try service.exportedAddresses().count == 3)
  }

  @Test func `sign-ups are stored while a backup is made, and none of them waits for it`() throws {
    let folder = try LongList.folder(count: 100_000)
    let service = try RunningService(
      ["--drain", "0s", "--database-timeout", "100ms", "--signup-rate", "off"], in: folder)
    #expect(try service.signUp("before@example.net").status == 202)
    let backup = try startBackup(in: folder)
    let client = try service.connect()
    for number in 0..<200 {
      try client.sendSignUp(of: "during\(number)@example.net")
      #expect(try client.readResponse().status == 202)
    }
    #expect(try backup.wait(by: Deadline(after: .seconds(60))) == .exit(0))
    #expect(backup.standardError.isEmpty)
    #expect(try folder.hiddenFiles.isEmpty)
    let export = try CommandRun(["export", "--database", "sqlite:backup.sqlite"], in: folder)
    let addresses = export.output.split(separator: "\r\n").dropFirst()
    #expect(addresses.count >= 100_001)
    #expect(addresses.contains { $0.contains("before@example.net") })
    #expect(try service.storedCounts() == (100_201, 100_201))
  }

  @Test func `a killed backup leaves the old file, and the next one removes what is left`() throws {
    let folder = try LongList.folder(count: 100_000)
    try folder.write("old", to: "backup.sqlite")
    let killed = try startBackup(in: folder)
    killed.send(signal: SIGKILL)
    try #require(try killed.wait() == .signal(SIGKILL))
    #expect(try folder.read("backup.sqlite") == "old")
    #expect(try !folder.hiddenFiles.isEmpty)

    // Under another name, as a backup with a date in its name has.
    let next = try CommandRun(["backup", "next.sqlite"], in: folder)
    #expect(next.end == .exit(0), "\(next.errors)")
    #expect(try folder.hiddenFiles.isEmpty)
    let verified = try CommandRun(["verify", "next.sqlite"], in: folder)
    #expect(verified.output.hasPrefix("intact: 100000 subscribers and 100000 consents"))
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `an interrupted backup removes what is incomplete and exits with 1`(_ signal: Int32) throws {
    let folder = try LongList.folder(count: 100_000)
    try folder.write("old", to: "backup.sqlite")
    let backup = try startBackup(in: folder)
    backup.send(signal: signal)
    #expect(try backup.wait() == .exit(1))
    #expect(backup.standardError == "enlist: interrupted; nothing has changed\n")
    #expect(try folder.read("backup.sqlite") == "old")
    #expect(try folder.hiddenFiles.isEmpty)
  }

  @Test func `two backups to the same file do not mix`() throws {
    let folder = try LongList.folder(count: 100_000)
    let first = try startBackup(in: folder)
    first.send(signal: SIGSTOP)
    let second = try CommandRun(["backup", "backup.sqlite"], in: folder)
    first.send(signal: SIGCONT)
    #expect(second.end == .exit(75))
    #expect(second.errors.contains("Another process is writing "))
    #expect(try first.wait(by: Deadline(after: .seconds(60))) == .exit(0))
    let verified = try CommandRun(["verify", "backup.sqlite"], in: folder)
    #expect(verified.end == .exit(0), "\(verified.errors)")
  }

  @Test(.disabled(if: Sanitizer.isActive, "a sanitizer maps larger files at startup"))
  func `a backup that does not fit leaves the old file`() throws {
    let folder = try LongList.folder(count: 5_000)
    try folder.write("old", to: "backup.sqlite")
    let backup = try CommandRun(
      ["backup", "backup.sqlite"], in: folder, through: ["prlimit", "--fsize=200000"])
    #expect(backup.end == .exit(1))
    #expect(backup.output.isEmpty)
    #expect(backup.errors.contains("the disk is full"), "\(backup.errors)")
    #expect(try folder.read("backup.sqlite") == "old")
    #expect(try folder.hiddenFiles.isEmpty)
  }

  @Test(
    .enabled(if: SmallDisk.isAllowed, "a small disk of its own requires root and a mount namespace")
  )
  func `a full disk leaves the old file and nothing else`() throws {
    let folder = try LongList.folder(count: 20_000)
    let disk = try SmallDisk()
    let script = """
      mount -t tmpfs -o size=2m none "$0" && printf old > "$0/backup.sqlite"
      "$@"
      echo "code $?"
      cat "$0/backup.sqlite"
      echo
      ls -A "$0"
      """
    let backup = try CommandRun(
      ["backup", "\(disk.path)/backup.sqlite"], in: folder,
      through: ["unshare", "--mount", "sh", "-c", script, disk.path])
    #expect(backup.output == "code 1\nold\nbackup.sqlite\n", "\(backup.errors)")
    #expect(backup.errors.contains("the disk is full"))
    #expect(backup.errors.utf8.count { $0 == 10 } == 1)
    withExtendedLifetime(disk) {}
  }

  @Test func `a backup shows a bar on a terminal only`() throws {
    let folder = try LongList.folder(count: 5_000)
    let script = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"
    func output(_ terminal: String) throws -> String {
      let backup = try CommandRun(
        ["backup", "backup.sqlite"], environment: ["TERM": terminal], in: folder,
        through: ["python3", "-c", script])
      #expect(backup.end == .exit(0), "\(backup.errors)")
      return backup.output
    }
    let shown = try output("xterm")
    #expect(shown.hasPrefix("\r["))
    #expect(shown.contains(" % "))
    #expect(shown.contains("\r\u{1B}[Kwrote backup.sqlite: "))
    #expect(try output("dumb").hasPrefix("wrote backup.sqlite: "))
  }

  @Test(
    arguments: [
      (["backup", "copy.sqlite"], 1, "enlist: Cannot open the database enlist.sqlite"),
      (["verify"], 1, "enlist: Cannot open the database enlist.sqlite"),
      (["verify", "nowhere"], 1, "enlist: Cannot open the database nowhere"),
      (["migrate"], 1, "enlist: Cannot open the database enlist.sqlite"),
      (["restore", "nowhere"], 1, "enlist: Cannot open the database nowhere"),
      (["restore", "enlist.sqlite"], 1, "enlist: enlist.sqlite is the database itself"),
    ] as [([String], Int32, String)]
  )
  func `a missing database is reported in one line`(
    _ arguments: [String], _ code: Int32, _ line: String
  ) throws {
    let folder = try TemporaryFolder()
    let run = try CommandRun(arguments, in: folder)
    #expect(run.end == .exit(code))
    #expect(run.errors.hasPrefix(line), "\(run.errors)")
    #expect(run.errors.utf8.count { $0 == 10 } == 1)
    #expect(!FileManager.default.fileExists(atPath: folder.path(of: "enlist.sqlite")))
    #expect(!FileManager.default.fileExists(atPath: folder.path(of: "copy.sqlite")))
  }
}
