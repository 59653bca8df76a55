import Foundation
import TestSupport
import Testing

/// Tests in which the database of the running service is removed or replaced.
@Suite struct StoreReplacedTests {
  private func run(_ command: String, in folder: TemporaryFolder) throws {
    let process = try ChildProcess(in: folder, through: ["bash", "-c", command])
    #expect(try process.wait() == .exit(0), "\(process.standardError)")
  }

  /// Writes `backup`, a database with one subscriber, and starts a service with another database.
  private func serviceWithBackup(_ arguments: [String] = []) throws -> RunningService {
    let first = try RunningService(["--drain", "0s"])
    #expect(try first.signUp("backup@example.org").status == 202)
    first.process.send(signal: SIGTERM)
    #expect(try first.process.wait() == .exit(0))
    try run("cp enlist.sqlite backup", in: first.folder)
    let service = try RunningService(["--drain", "0s"] + arguments, in: first.folder)
    for number in 0..<20 { #expect(try service.signUp("a\(number)@example.org").status == 202) }
    return service
  }

  private func expectEnd(of service: RunningService) throws {
    for number in 0..<3 {
      let response = try service.signUp("late\(number)@example.org")
      #expect(response.status == 503)
      #expect(response.text.contains("/problems/storage-unavailable"))
      #expect(try service.request("GET", "/readyz").status == 503)
    }
    #expect(try service.request("GET", "/livez").status == 200)
    service.process.send(signal: SIGTERM)
    #expect(try service.process.wait() == .exit(0))
    // Only now is the log complete.
    let lines = service.process.standardError.split(separator: "\n")
      .filter { $0.contains("sign-ups cannot be stored") }
    #expect(lines.count == 1)
    #expect(
      lines.first?.contains("removed or replaced while the service was running; stop") == true)
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
      let next = try RunningService(in: service.folder)
      #expect(try next.signUp("next@example.org").status == 202)
      #expect(try next.exportedAddresses() == ["backup@example.org", "next@example.org"])
      try run("[ \"$(sqlite3 enlist.sqlite 'PRAGMA integrity_check')\" = ok ]", in: service.folder)
    }
  }

  @Test func `a database replaced before a crash is not opened with the old write-ahead log`()
    throws
  {
    let service = try serviceWithBackup()
    try run("mv backup enlist.sqlite", in: service.folder)
    service.process.send(signal: SIGKILL)
    #expect(try service.process.wait() == .signal(SIGKILL))
    let commands = [
      ["serve", "--listen", "127.0.0.1:0", "--log-level", "error"], ["export"],
      ["erase", "a1@example.org"],
    ]
    for command in commands {
      let process = try ChildProcess("enlist", command, in: service.folder)
      #expect(try process.wait() == .exit(1))
      #expect(process.standardError.hasPrefix("enlist: The database enlist.sqlite was replaced"))
      #expect(process.standardError.utf8.count { $0 == 10 } == 1)
    }
    try run("mv enlist.sqlite-wal kept", in: service.folder)
    let next = try RunningService(in: service.folder)
    #expect(try next.exportedAddresses() == ["backup@example.org"])
    try run("[ \"$(sqlite3 enlist.sqlite 'PRAGMA integrity_check')\" = ok ]", in: service.folder)
  }

  @Test func `acknowledged sign-ups survive a crash and a copy of all files`() throws {
    let service = try serviceWithBackup()
    service.process.send(signal: SIGKILL)
    #expect(try service.process.wait() == .signal(SIGKILL))
    let folder = try TemporaryFolder()
    try run("cp enlist.sqlite* \(folder.path)/", in: service.folder)
    for folder in [folder, service.folder] {
      #expect(try RunningService(in: folder).exportedAddresses().count == 21)
    }
  }

  @Test func `overwritten pages keep the service from becoming ready again`() throws {
    let service = try serviceWithBackup()
    for number in 0..<200 { #expect(try service.signUp("b\(number)@example.org").status == 202) }
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
    try Deadline.soon.wait { try service.signUp("c@example.org").status != 202 }
    #expect(try service.signUp("d@example.org").status == 503)
    // A transaction counts as a probe for a second; a later probe would write its intact page.
    let later = Deadline(after: .milliseconds(1300))
    while !later.hasPassed {
      #expect(try service.request("GET", "/readyz").status == 503)
    }
    #expect(!service.process.standardError.contains("stored again"))
    service.process.send(signal: SIGKILL)
  }

  @Test func `a second service on the same database exits with one line`() throws {
    let service = try RunningService()
    let second = try ChildProcess(
      "enlist", ["--listen", "127.0.0.1:0", "--log-level", "error"], in: service.folder)
    #expect(try second.wait() == .exit(1))
    #expect(
      second.standardError.hasPrefix("enlist: The database enlist.sqlite is in use by another"))
    #expect(second.standardError.utf8.count { $0 == 10 } == 1)
    #expect(try service.signUp("ana@example.com").status == 202)
    #expect(try service.exportedAddresses() == ["ana@example.com"])
  }

  @Test(arguments: ["000", "022", "777"])
  func `database files are created for their owner only with any umask`(_ umask: String) throws {
    let service = try RunningService(through: [
      "bash", "-c", #"umask \#(umask); exec "$@""#, "bash",
    ])
    #expect(try service.signUp("ana@example.com").status == 202)
    for suffix in ["", "-wal", "-shm", "-lock"] {
      var status = stat()
      #expect(stat(service.database + suffix, &status) == 0)
      #expect(status.st_mode & 0o7777 == 0o600, "\(suffix)")
    }
    #expect(try !service.endAndReadLog().contains("can read"))
  }

  @Test func `the service warns once about a world-readable database`() throws {
    let folder = try TemporaryFolder()
    let first = try RunningService(["--drain", "0s"], in: folder)
    first.process.send(signal: SIGTERM)
    #expect(try first.process.wait() == .exit(0))
    try run("chmod 644 enlist.sqlite", in: folder)
    let second = try RunningService(in: folder)
    #expect(try second.signUp("ana@example.com").status == 202)
    let lines = try second.endAndReadLog().split(separator: "\n")
      .filter { $0.contains("every user of this machine can read") }
    #expect(lines.count == 1)
  }
}
