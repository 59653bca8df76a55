import Glibc
import TestSupport
import Testing

/// Tests in which another program writes to the files of the running service's database.
@Suite struct StoreChangedTests {
  /// A change in place, as a command in the folder of the database.
  enum Change: String, CaseIterable, CustomTestStringConvertible {
    case emptyLog = "truncate -s 0 enlist.sqlite-wal"
    case shortLog = "truncate -s -1 enlist.sqlite-wal"
    case otherLog = "head -c 200000 /dev/urandom | dd of=enlist.sqlite-wal conv=notrunc status=none"
    case emptyDatabase = "truncate -s 0 enlist.sqlite"
    case otherDatabase = "cp backup enlist.sqlite"
    // The log contains no newer version of this page.
    case otherPage = """
      page=$(sqlite3 -readonly enlist.sqlite \
        "SELECT rootpage FROM sqlite_schema WHERE name = 'wordings'")
      head -c 4096 /dev/urandom |
        dd of=enlist.sqlite bs=4096 seek=$((page - 1)) conv=notrunc status=none
      """

    var testDescription: String { rawValue }
  }

  private func run(_ command: String, in folder: Folder) throws {
    let outcome = try Child.run(["bash", "-c", command], in: folder)
    #expect(outcome.end == .exit(0), "\(outcome.errors)")
  }

  /// Writes `backup`, a database with one subscriber, and starts a service that has 41.
  private func serviceWithBackup() throws -> Enlist {
    let service = try Enlist(["--drain", "0s", "--log-level", "info"])
    try service.signUp("backup@example.org").expect(202)
    let backup = try service.run("backup", "backup")
    #expect(backup.end == .exit(0), "\(backup.errors)")
    for number in 0..<20 { try service.signUp("a\(number)@example.org").expect(202) }
    try expectExit(0, of: service)
    try service.restart()
    for number in 0..<20 { try service.signUp("b\(number)@example.org").expect(202) }
    return service
  }

  private func expectExit(_ code: Int32, of service: Enlist) throws {
    let end = try service.process.wait(after: SIGTERM)
    #expect(end == .exit(code), "\(service.process.errors)")
  }

  /// Expects that the service stores nothing more, and that nothing but a restored backup starts
  /// again.
  private func expectEnd(of service: Enlist) throws {
    for number in 0..<3 {
      try service.signUp("late\(number)@example.org").expect(503)
      try service.get("/readyz").expect(503)
    }
    try service.get("/livez").expect(200)
    try expectExit(65, of: service)
    let lines = service.process.errors.split(separator: "\n")
    #expect(lines.count { $0.contains("sign-ups cannot be stored") } == 1)
    let last = try #require(lines.last)
    #expect(last.hasPrefix("enlist: The database enlist.sqlite is damaged"))
    #expect(last.contains("enlist restore"))

    for command in [["serve", "--listen", "127.0.0.1:0", "--log-level", "error"], ["export"]] {
      let next = try Child.run(["enlist"] + command, in: service.folder)
      #expect(next.end == .exit(65))
      #expect(
        next.errors.hasPrefix("enlist: The database enlist.sqlite was changed"), "\(next.errors)")
      #expect(next.errors.contains("enlist restore"))
      #expect(next.errors.utf8.count { $0 == 10 } == 1)
    }
    let restore = try service.run("restore", "backup")
    #expect(restore.end == .exit(0), "\(restore.errors)")
    try service.restart()
    try service.signUp("next@example.org").expect(202)
    let addresses = try service.addresses()
    #expect(addresses == ["backup@example.org", "next@example.org"])
  }

  @Test(arguments: Change.allCases)
  func `an idle service notices files that are changed in place`(_ change: Change) throws {
    let service = try serviceWithBackup()
    try run(change.rawValue, in: service.folder)
    // Without a request, so that nothing but the service itself can find it.
    try service.process.waitForLog("sign-ups cannot be stored")
    try expectEnd(of: service)
  }

  @Test(arguments: Change.allCases)
  func `no sign-up is accepted after files have been changed in place`(_ change: Change) throws {
    let service = try serviceWithBackup()
    try run(change.rawValue, in: service.folder)
    try service.signUp("first@example.org").expect(503)
    try expectEnd(of: service)
  }

  @Test(
    arguments: [
      "truncate -s 0 enlist.sqlite-shm", "truncate -s 8192 enlist.sqlite-shm",
      "rm enlist.sqlite-shm", "mv enlist.sqlite-shm moved",
    ]
  )
  func `a truncated or removed index of the log ends the service without a loss`(
    _ command: String
  ) throws {
    let service = try serviceWithBackup()
    try run(command, in: service.folder)
    let execution = try service.get("/executions/0")
    #expect(execution.status != 200)
    try service.signUp("late@example.org").expect(503)
    try service.get("/readyz").expect(503)
    let end = try service.process.wait(after: SIGTERM)
    // The system ends a process that reads the missing part of a file (docs/limits.md).
    #expect(end == .exit(0) || command.hasPrefix("truncate") && end == .signal(SIGBUS))
    try service.restart()
    try service.signUp("next@example.org").expect(202)
    let addresses = try service.addresses()
    #expect(addresses.count == 42)
  }

  @Test func `overwritten bytes at the beginning of the index do no harm`() throws {
    let service = try serviceWithBackup()
    try run(
      "head -c 200 /dev/urandom | dd of=enlist.sqlite-shm conv=notrunc status=none",
      in: service.folder)
    try service.signUp("next@example.org").expect(202)
    try expectExit(0, of: service)
    try service.restart()
    let addresses = try service.addresses()
    #expect(addresses.count == 42)
  }

  @Test func `a touched database goes on`() throws {
    let service = try serviceWithBackup()
    try run("touch enlist.sqlite enlist.sqlite-wal enlist.sqlite-shm", in: service.folder)
    try service.signUp("next@example.org").expect(202)
    try service.get("/readyz").expect(200)
  }

  @Test func `a view of the operator's own is named, by the service, commands and the next start`()
    throws
  {
    let service = try Enlist(["--drain", "0s"])
    try service.signUp("ana@example.org").expect(202)
    try SQLiteFile(service.database).execute(
      "CREATE VIEW people AS SELECT address FROM subscribers")
    let reason = "the view people is not Enlist's; remove it with DROP VIEW people"
    try service.process.waitForLog(
      "was changed: \(reason); until then, commands and the next start")
    try service.signUp("bea@example.org").expect(202)
    try service.get("/readyz").expect(200)
    let log = try service.stop()
    #expect(log.ranges(of: reason).count == 1, "\(log)")
    for command in [
      "serve --listen 127.0.0.1:0 --log-level error", "export", "verify", "backup copy.sqlite",
      "suppress ana@example.org", "keys list",
    ] {
      let words = command.split(separator: " ").map(String.init)
      let run = try Child.run(["enlist"] + words, in: service.folder).expect(65)
      let line = "enlist: The schema of the database enlist.sqlite was changed: \(reason).\n"
      #expect(run.errors == line, "\(command)")
    }
    try SQLiteFile(service.database).execute("DROP VIEW people")
    try service.restart()
    let addresses = try service.addresses()
    #expect(addresses == ["ana@example.org", "bea@example.org"])
  }

  @Test func `a removed list is saved next to its place when the service stops`() throws {
    let service = try serviceWithBackup()
    try run("rm enlist.sqlite*", in: service.folder)
    try service.signUp("late@example.org").expect(503)
    try expectExit(0, of: service)
    let saved = try service.process.line(/([^ \n]*enlist\.sqlite\.saved-[^ ;\n]+)/, in: \.errors)
    let restore = try service.run("restore", saved)
    #expect(restore.end == .exit(0), "\(restore.errors)")
    try service.restart()
    let addresses = try service.addresses()
    #expect(addresses.count >= 41)
  }

  @Test func `a sign-up that reached a moved file is not said to be lost`() throws {
    let folder = try Folder()
    try run("mkdir list", in: folder)
    let service = try Enlist(["--database", "sqlite:list/enlist.sqlite"], in: folder)
    let load = try service.connect()
    var addresses: [String] = []
    for number in 0..<2000 {
      if number == 50 { try run("mv list moved", in: folder) }
      let address = "a\(number)@example.org"
      try load.sendSignUp(of: address)
      let response = try load.readResponse()
      if response.status == 202 { continue }
      response.expect(503)
      if response.text.contains("Nothing was stored") { addresses.append(address) }
      if number > 60 { break }
    }
    try expectExit(0, of: service)
    let export = try Child.run(
      ["enlist", "export", "--database", "sqlite:moved/enlist.sqlite"], in: folder)
    #expect(export.end == .exit(0), "\(export.errors)")
    #expect(!addresses.isEmpty)
    for address in addresses { #expect(!export.output.contains(address)) }
  }

  @Test(
    arguments: [
      ("rm enlist.sqlite-lock", "enlist.sqlite"), ("ln enlist.sqlite other.sqlite", "other.sqlite"),
      ("rm enlist.sqlite-lock; ln enlist.sqlite other.sqlite", "other.sqlite"),
    ]
  )
  func `no second service starts without the lock file or through a hard link`(
    _ command: String, _ database: String
  ) throws {
    let service = try Enlist()
    try service.signUp("ana@example.com").expect(202)
    try run(command, in: service.folder)
    let second = try Child.run(
      ["enlist", "--listen", "127.0.0.1:0", "--log-level", "error"]
        + ["--database", "sqlite:\(database)"],
      in: service.folder, within: .seconds(3))
    #expect(second.end == .exit(75))
    #expect(
      second.errors.hasPrefix("enlist: The database \(database) is in use by another"),
      "\(second.errors)")
    #expect(second.errors.utf8.count { $0 == 10 } == 1)
    // The second service has not released the locks of the first one.
    try service.signUp("bob@example.com").expect(202)
    let addresses = try service.addresses()
    #expect(addresses == ["ana@example.com", "bob@example.com"])
    // The lock ends with the service.
    try service.restart(after: SIGKILL)
    let restarted = try service.addresses()
    #expect(restarted == addresses)
  }
}
