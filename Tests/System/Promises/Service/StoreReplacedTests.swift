import Glibc
import TestSupport
import Testing

/// Tests in which the database of the running service is removed or replaced.
@Suite struct StoreReplacedTests {
  private func run(_ command: String, in folder: Folder) throws {
    try Child.run(["bash", "-c", command], in: folder).expect(0)
  }

  /// Writes `backup`, a database with one subscriber, and starts a service with another database.
  private func serviceWithBackup() throws -> Enlist {
    let flags = ["--drain", "0s", "--log-level", "info"]
    let first = try Enlist(flags)
    try first.signUp("backup@example.org").expect(202)
    #expect(try first.process.wait(after: SIGTERM) == .exit(0))
    try run("cp enlist.sqlite backup", in: first.folder)
    let service = try Enlist(flags, in: first.folder)
    for number in 0..<20 { try service.signUp("a\(number)@example.org").expect(202) }
    return service
  }

  private func expectEnd(of service: Enlist) throws {
    for number in 0..<3 {
      try service.signUp("late\(number)@example.org").expect(503, "storage-unavailable")
      try service.get("/readyz").expect(503)
    }
    try service.get("/livez").expect(200)
    #expect(try service.process.wait(after: SIGTERM) == .exit(0))
    // Only now is the log complete.
    let lines = service.process.errors.split(separator: "\n")
      .filter { $0.contains("sign-ups cannot be stored") }
    #expect(lines.count == 1, "\(lines)")
    #expect(
      lines.first?.contains("removed or replaced while the service was running; stop") == true,
      "\(lines)")
  }

  @Test func `removed files stop acknowledgments, and one log line says what to do`() throws {
    let service = try serviceWithBackup()
    try run("rm enlist.sqlite*", in: service.folder)
    try expectEnd(of: service)
  }

  @Test func `a replaced database is intact after each of three restarts`() throws {
    for _ in 0..<3 {
      let service = try serviceWithBackup()
      try run("mv backup enlist.sqlite", in: service.folder)
      try expectEnd(of: service)
      let next = try Enlist(in: service.folder)
      try next.signUp("next@example.org").expect(202)
      let addresses = try next.addresses()
      #expect(addresses == ["backup@example.org", "next@example.org"])
      try run("[ \"$(sqlite3 enlist.sqlite 'PRAGMA integrity_check')\" = ok ]", in: service.folder)
    }
  }

  @Test func `a database replaced before a crash is not opened with the old write-ahead log`()
    throws
  {
    let service = try serviceWithBackup()
    try run("mv backup enlist.sqlite", in: service.folder)
    #expect(try service.process.wait(after: SIGKILL) == .signal(SIGKILL))
    let commands = [
      ["serve", "--listen", "127.0.0.1:0", "--log-level", "error"], ["export"],
      ["erase", "a1@example.org"],
    ]
    for command in commands {
      let errors = try Child.run(["enlist"] + command, in: service.folder).expect(65).errors
      #expect(errors.hasPrefix("enlist: The database enlist.sqlite was replaced"), "\(errors)")
      #expect(errors.utf8.count { $0 == 10 } == 1, "\(errors)")
    }
    try run("mv enlist.sqlite-wal kept", in: service.folder)
    let next = try Enlist(in: service.folder)
    let addresses = try next.addresses()
    #expect(addresses == ["backup@example.org"])
    try run("[ \"$(sqlite3 enlist.sqlite 'PRAGMA integrity_check')\" = ok ]", in: service.folder)
  }

  @Test func `acknowledged sign-ups survive a crash and a copy of all files`() throws {
    let service = try serviceWithBackup()
    #expect(try service.process.wait(after: SIGKILL) == .signal(SIGKILL))
    let folder = try Folder()
    try run("cp enlist.sqlite* \(folder.path)/", in: service.folder)
    for folder in [folder, service.folder] {
      let addresses = try Enlist(in: folder).addresses()
      #expect(addresses.count == 21, "\(addresses)")
    }
  }

  @Test func `overwritten pages keep the service from becoming ready again`() throws {
    let service = try serviceWithBackup()
    for number in 0..<200 { try service.signUp("b\(number)@example.org").expect(202) }
    // Overwrites all pages except the first and the probe's; the log is checkpointed before.
    try run(
      """
      sqlite3 enlist.sqlite 'PRAGMA wal_checkpoint(TRUNCATE)' > /dev/null
      probe=$(sqlite3 -readonly enlist.sqlite \
        "SELECT rootpage FROM sqlite_schema WHERE name = 'store_probe'")
      pages=$(($(stat -c %s enlist.sqlite) / 4096))
      for page in $(seq 2 $pages); do
        [ $page = $probe ] || head -c 4096 /dev/urandom |
          dd of=enlist.sqlite bs=4096 seek=$((page - 1)) conv=notrunc status=none
      done
      # A schema that changes makes the service read its pages again.
      sqlite3 enlist.sqlite 'PRAGMA user_version = 7'
      """,
      in: service.folder
    )
    try eventually { try service.signUp("c@example.org").status != 202 }
    try service.signUp("d@example.org").expect(503)
    // A transaction counts as a probe for a second; a later probe would write its intact page.
    let later = ContinuousClock.now + .milliseconds(1300)
    while .now < later { try service.get("/readyz").expect(503) }
    #expect(!service.process.errors.contains("stored again"))
  }

  @Test func `a second service on the same database exits with one line`() throws {
    let service = try Enlist()
    let errors = try Child.run(
      ["enlist", "--listen", "127.0.0.1:0", "--log-level", "error"], in: service.folder
    ).expect(75).errors
    #expect(
      errors.hasPrefix("enlist: The database enlist.sqlite is in use by another"), "\(errors)")
    #expect(errors.utf8.count { $0 == 10 } == 1, "\(errors)")
    try service.signUp("ana@example.com").expect(202)
    let addresses = try service.addresses()
    #expect(addresses == ["ana@example.com"])
  }

  @Test(arguments: ["000", "022", "777"])
  func `database files are created for their owner only with any umask`(_ umask: String) throws {
    let service = try Enlist(through: [
      "bash", "-c", #"umask \#(umask); exec "$@""#, "bash",
    ])
    try service.signUp("ana@example.com").expect(202)
    for suffix in ["", "-wal", "-shm", "-lock"] {
      var status = stat()
      #expect(stat(service.database + suffix, &status) == 0)
      #expect(status.st_mode & 0o7777 == 0o600, "\(suffix)")
    }
    let log = try service.stop()
    #expect(!log.contains("can read"), "\(log)")
  }

  @Test func `the service warns once about a world-readable database`() throws {
    let service = try Enlist(["--drain", "0s", "--log-level", "info"])
    #expect(try service.process.wait(after: SIGTERM) == .exit(0))
    try run("chmod 644 enlist.sqlite", in: service.folder)
    try service.restart()
    try service.signUp("ana@example.com").expect(202)
    let log = try service.stop()
    #expect(log.ranges(of: "every user of this machine can read").count == 1, "\(log)")
  }
}
