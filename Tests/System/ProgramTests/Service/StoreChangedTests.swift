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

  private func run(_ command: String, in folder: TemporaryFolder) throws {
    let process = try ChildProcess(in: folder, through: ["bash", "-c", command])
    #expect(try process.wait() == .exit(0), "\(process.standardError)")
  }

  /// Writes `backup`, a database with one subscriber, and starts a service that has more.
  private func serviceWithBackup() throws -> RunningService {
    let first = try RunningService(["--drain", "0s"])
    #expect(try first.signUp("backup@example.org").status == 202)
    let backup = try CommandRun(["backup", "backup"], in: first.folder)
    #expect(backup.end == .exit(0), "\(backup.errors)")
    for number in 0..<20 { #expect(try first.signUp("a\(number)@example.org").status == 202) }
    first.process.send(signal: SIGTERM)
    #expect(try first.process.wait() == .exit(0))
    let service = try RunningService(["--drain", "0s"], in: first.folder)
    for number in 0..<20 { #expect(try service.signUp("b\(number)@example.org").status == 202) }
    return service
  }

  /// Expects that the service stores nothing more, and that nothing but a restored backup starts again.
  private func expectEnd(of service: RunningService) throws {
    for number in 0..<3 {
      #expect(try service.signUp("late\(number)@example.org").status == 503)
      #expect(try service.request("GET", "/readyz").status == 503)
    }
    #expect(try service.request("GET", "/livez").status == 200)
    service.process.send(signal: SIGTERM)
    #expect(try service.process.wait() == .exit(1))
    let lines = service.process.standardError.split(separator: "\n")
    #expect(lines.count { $0.contains("sign-ups cannot be stored") } == 1)
    #expect(lines.last?.hasPrefix("enlist: The database enlist.sqlite is damaged") == true)
    #expect(lines.last?.contains("enlist restore") == true)

    for command in [["serve", "--listen", "127.0.0.1:0", "--log-level", "error"], ["export"]] {
      let next = try CommandRun(command, in: service.folder)
      #expect(next.end == .exit(1))
      #expect(next.errors.hasPrefix("enlist: The database enlist.sqlite was changed"))
      #expect(next.errors.contains("enlist restore"))
      #expect(next.errors.utf8.count { $0 == 10 } == 1)
    }
    let restore = try CommandRun(["restore", "backup"], in: service.folder)
    #expect(restore.end == .exit(0), "\(restore.errors)")
    let restored = try RunningService(in: service.folder)
    #expect(try restored.signUp("next@example.org").status == 202)
    #expect(try restored.exportedAddresses() == ["backup@example.org", "next@example.org"])
  }

  @Test(arguments: Change.allCases)
  func `an idle service notices files that are changed in place`(_ change: Change) throws {
    let service = try serviceWithBackup()
    try run(change.rawValue, in: service.folder)
    // Without a request, so that nothing but the service itself can find it.
    try Deadline.soon.wait {
      service.process.standardError.contains("sign-ups cannot be stored")
    }
    try expectEnd(of: service)
  }

  @Test(arguments: Change.allCases)
  func `no sign-up is accepted after files have been changed in place`(_ change: Change) throws {
    let service = try serviceWithBackup()
    try run(change.rawValue, in: service.folder)
    #expect(try service.signUp("first@example.org").status == 503)
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
    #expect(try service.request("GET", "/executions/0").status != 200)
    #expect(try service.signUp("late@example.org").status == 503)
    #expect(try service.request("GET", "/readyz").status == 503)
    service.process.send(signal: SIGTERM)
    let end = try service.process.wait()
    // The system ends a process that reads the missing part of a file (docs/limits.md).
    #expect(end == .exit(0) || command.hasPrefix("truncate") && end == .signal(SIGBUS))
    let next = try RunningService(in: service.folder)
    #expect(try next.signUp("next@example.org").status == 202)
    #expect(try next.exportedAddresses().count == 42)
  }

  @Test func `overwritten bytes at the beginning of the index do no harm`() throws {
    let service = try serviceWithBackup()
    try run(
      "head -c 200 /dev/urandom | dd of=enlist.sqlite-shm conv=notrunc status=none",
      in: service.folder)
    #expect(try service.signUp("next@example.org").status == 202)
    service.process.send(signal: SIGTERM)
    #expect(try service.process.wait() == .exit(0))
    #expect(try RunningService(in: service.folder).exportedAddresses().count == 42)
  }

  @Test func `a touched database goes on`() throws {
    let service = try serviceWithBackup()
    try run("touch enlist.sqlite enlist.sqlite-wal enlist.sqlite-shm", in: service.folder)
    #expect(try service.signUp("next@example.org").status == 202)
    #expect(try service.request("GET", "/readyz").status == 200)
  }

  @Test func `a removed list is saved next to its place when the service stops`() throws {
    let service = try serviceWithBackup()
    try run("rm enlist.sqlite*", in: service.folder)
    #expect(try service.signUp("late@example.org").status == 503)
    service.process.send(signal: SIGTERM)
    #expect(try service.process.wait() == .exit(0))
    let line = try #require(
      service.process.standardError.split(separator: "\n").first { $0.contains(".saved-") })
    let saved = try #require(line.firstMatch(of: /[^ ]*enlist\.sqlite\.saved-[^ ;]+/)).0
    let restore = try CommandRun(["restore", String(saved)], in: service.folder)
    #expect(restore.end == .exit(0), "\(restore.errors)")
    #expect(try RunningService(in: service.folder).exportedAddresses().count >= 41)
  }

  @Test func `a sign-up that reached a moved file is not said to be lost`() throws {
    let folder = try TemporaryFolder()
    try run("mkdir list", in: folder)
    let service = try RunningService(["--database", "sqlite:list/enlist.sqlite"], in: folder)
    let load = try service.connect()
    var addresses: [String] = []
    for number in 0..<2000 {
      if number == 50 { try run("mv list moved", in: folder) }
      let address = "a\(number)@example.org"
      try load.sendSignUp(of: address)
      let response = try load.readResponse()
      if response.status == 202 { continue }
      #expect(response.status == 503)
      if response.text.contains("Nothing was stored") { addresses.append(address) }
      if number > 60 { break }
    }
    service.process.send(signal: SIGTERM)
    #expect(try service.process.wait() == .exit(0))
    let export = try CommandRun(["export", "--database", "sqlite:moved/enlist.sqlite"], in: folder)
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
    let service = try RunningService()
    #expect(try service.signUp("ana@example.com").status == 202)
    try run(command, in: service.folder)
    let second = try ChildProcess(
      "enlist",
      ["--listen", "127.0.0.1:0", "--log-level", "error", "--database", "sqlite:\(database)"],
      in: service.folder)
    #expect(try second.wait(by: Deadline(after: .seconds(3))) == .exit(1))
    #expect(second.standardError.hasPrefix("enlist: The database \(database) is in use by another"))
    #expect(second.standardError.utf8.count { $0 == 10 } == 1)
    // The second service has not released the locks of the first one.
    #expect(try service.signUp("bob@example.com").status == 202)
    #expect(try service.exportedAddresses() == ["ana@example.com", "bob@example.com"])
    // The lock ends with the service.
    service.process.send(signal: SIGKILL)
    _ = try service.process.wait()
    #expect(try RunningService(in: service.folder).exportedAddresses().count == 2)
  }
}
