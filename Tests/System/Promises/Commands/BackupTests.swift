import Foundation
import Glibc
import TestSupport
import Testing

@Suite struct BackupTests {
  /// A file that an older backup could be.
  private static let old = "SQLite format 3\0old"

  @Test func `a backup contains the list, and can be read by the other commands`() throws {
    let service = try Enlist(["--drain", "0s"])
    for name in ["ada", "bob", "ada"] { try service.signUp("\(name)@example.org").expect(202) }
    let backup = try service.run("backup", "backup.sqlite")
    #expect(backup.end == .exit(0))
    #expect(backup.errors == "")
    let line = /wrote backup\.sqlite: \d+ bytes, schema version \d+\n/
    #expect(backup.output.wholeMatch(of: line) != nil, "\(backup.output)")
    try service.signUp("later@example.org").expect(202)

    let attributes = try FileManager.default.attributesOfItem(
      atPath: service.folder("backup.sqlite"))
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let verified = try service.run("verify", "backup.sqlite")
    #expect(verified.end == .exit(0), "\(verified.errors)")
    #expect(verified.output.hasPrefix("intact: 2 subscribers and 3 consents, schema version "))
    let export = try service.run("export", "--database", "sqlite:backup.sqlite")
    let lines = export.output.split(separator: "\r\n")
    #expect(lines.count == 3, "\(export.errors)")
    let addresses = try service.addresses()
    #expect(addresses.count == 3)
  }

  @Test(.needsSlowWrites)
  func `sign-ups are stored while a backup is made, and none of them waits for it`() throws {
    let folder = try LongList.folder(count: 20_000)
    let service = try Enlist(
      ["--drain", "0s", "--database-timeout", "100ms", "--signup-rate", "off"], in: folder)
    try service.signUp("before@example.net").expect(202)
    let backup = try startBackup(in: folder)
    // Stopped, it holds what it holds while it copies, however fast it is.
    backup.send(SIGSTOP)
    let client = try service.connect()
    for number in 0..<200 {
      try client.sendSignUp(of: "during\(number)@example.net")
      try client.readResponse().expect(202)
    }
    backup.send(SIGCONT)
    let end = try backup.wait(within: .seconds(60))
    #expect(end == .exit(0))
    #expect(backup.errors == "")
    let hidden = try folder.hiddenFiles
    #expect(hidden == [])
    let export = try service.run("export", "--database", "sqlite:backup.sqlite")
    let addresses = export.output.split(separator: "\r\n").dropFirst()
    // The backup is the state of its beginning.
    #expect(addresses.count == 20_001)
    #expect(addresses.contains { $0.contains("before@example.net") })
    let counts = try service.storedCounts()
    #expect(counts == (20_201, 20_201))
  }

  @Test(.needsSlowWrites)
  func `a killed backup leaves the old file, and the next one removes what is left`() throws {
    let folder = try LongList.folder(count: 20_000)
    try folder.write(Self.old, to: "backup.sqlite")
    let killed = try startBackup(in: folder)
    let end = try killed.wait(after: SIGKILL)
    try #require(end == .signal(SIGKILL))
    try expectOld(in: folder)
    try #require(try !folder.hiddenFiles.isEmpty)

    // Under another name, as a backup with a date in its name has.
    let next = try Child.run(["enlist", "backup", "next.sqlite"], in: folder)
    #expect(next.end == .exit(0), "\(next.errors)")
    let hidden = try folder.hiddenFiles
    #expect(hidden == [])
    let verified = try Child.run(["enlist", "verify", "next.sqlite"], in: folder)
    #expect(
      verified.output.hasPrefix("intact: 20000 subscribers and 20000 consents"), "\(verified)")
  }

  @Test(.needsSlowWrites, arguments: [SIGINT, SIGTERM])
  func `an interrupted backup removes what is incomplete and exits with 1`(_ signal: Int32) throws {
    let folder = try LongList.folder(count: 20_000)
    try folder.write(Self.old, to: "backup.sqlite")
    let backup = try startBackup(in: folder)
    let end = try backup.wait(after: signal)
    #expect(end == .exit(1))
    #expect(backup.errors == "enlist: interrupted; nothing has changed\n")
    try expectOld(in: folder)
    let hidden = try folder.hiddenFiles
    #expect(hidden == [])
  }

  @Test(.needsSlowWrites) func `two backups to the same file do not mix`() throws {
    let folder = try LongList.folder(count: 20_000)
    let first = try startBackup(in: folder)
    first.send(SIGSTOP)
    let second = try Child.run(["enlist", "backup", "backup.sqlite"], in: folder)
    first.send(SIGCONT)
    #expect(second.end == .exit(75))
    #expect(second.errors.contains("Another process is writing "), "\(second.errors)")
    let end = try first.wait(within: .seconds(60))
    #expect(end == .exit(0))
    let verified = try Child.run(["enlist", "verify", "backup.sqlite"], in: folder)
    #expect(verified.end == .exit(0), "\(verified.errors)")
  }

  @Test(.disabled(if: Sanitizer.isActive, "a sanitizer maps larger files at startup"))
  func `a backup that does not fit leaves the old file`() throws {
    let folder = try LongList.folder(count: 5_000)
    try folder.write(Self.old, to: "backup.sqlite")
    let backup = try Child.run(
      ["prlimit", "--fsize=200000", "enlist", "backup", "backup.sqlite"], in: folder)
    #expect(backup.end == .exit(1))
    #expect(backup.output == "")
    #expect(backup.errors.contains("the disk is full"), "\(backup.errors)")
    try expectOld(in: folder)
    let hidden = try folder.hiddenFiles
    #expect(hidden == [])
  }

  @Test(
    .enabled(if: SmallDisk.isAllowed, "a small disk of its own requires root and a mount namespace")
  )
  func `a full disk leaves the old file and nothing else`() throws {
    let folder = try LongList.folder(count: 20_000)
    let disk = try SmallDisk()
    let script = """
      mount -t tmpfs -o size=2m none "$0" && printf 'SQLite format 3\\0old' > "$0/backup.sqlite"
      "$@"
      echo "code $?"
      tail -c 3 "$0/backup.sqlite"
      echo
      ls -A "$0"
      """
    let backup = try Child.run(
      [
        "unshare", "--mount", "sh", "-c", script, disk.path,
        "enlist", "backup", "\(disk.path)/backup.sqlite",
      ],
      in: folder)
    #expect(backup.output == "code 1\nold\nbackup.sqlite\n", "\(backup.errors)")
    #expect(backup.errors.contains("the disk is full"), "\(backup.errors)")
    #expect(backup.errors.utf8.count { $0 == 10 } == 1, "\(backup.errors)")
    withExtendedLifetime(disk) {}
  }

  @Test(arguments: [true, false])
  func `a backup shows a bar on a terminal only`(_ isTerminal: Bool) throws {
    let folder = try LongList.folder(count: 5_000)
    let script = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"
    let backup = try Child.run(
      ["python3", "-c", script, "enlist", "backup", "backup.sqlite"], in: folder,
      environment: ["TERM": isTerminal ? "xterm" : "dumb"])
    #expect(backup.end == .exit(0), "\(backup.errors)")
    let output = backup.output
    if isTerminal {
      #expect(output.hasPrefix("\r["), "\(output)")
      #expect(output.contains(" % "), "\(output)")
      #expect(output.contains("\r\u{1B}[Kwrote backup.sqlite: "), "\(output)")
    } else {
      #expect(output.hasPrefix("wrote backup.sqlite: "), "\(output)")
    }
  }

  /// Starts a backup, and waits until a part of it is in its folder.
  private func startBackup(in folder: Folder) throws -> Child {
    let backup = try Child(SlowWrites.launcher + ["enlist", "backup", "backup.sqlite"], in: folder)
    try eventually("a partial file, after \(backup.errors)", within: .seconds(60)) {
      folder.hasBytes(in: ".backup.sqlite.enlist-partial")
    }
    return backup
  }

  private func expectOld(
    in folder: Folder, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let content = try folder.read("backup.sqlite")
    #expect(content == Self.old, sourceLocation: sourceLocation)
  }
}

/// Delays the first writes of a process by three seconds in all, so that a test meets it before its
/// file is complete, however fast the disk is.
enum SlowWrites {
  // The program is the child and the tracer its grandchild, so that signals go to the program.
  // LeakSanitizer fails in a traced process.
  static let launcher = [
    "env", "ASAN_OPTIONS=detect_leaks=0", "strace", "--daemonize", "--follow-forks",
    "--seccomp-bpf", "-qqq", "--output=/dev/null",
    "--trace=pwrite64", "--inject=pwrite64:delay_enter=100000:when=1..30",
  ]

  fileprivate static let isAllowed = (try? Child.run(launcher + ["true"]).end) == .exit(0)
}

extension Trait where Self == ConditionTrait {
  /// Skips a test, visibly, where no process can be traced.
  static var needsSlowWrites: Self {
    .enabled(if: SlowWrites.isAllowed, "requires strace and the right to trace a process")
  }
}
