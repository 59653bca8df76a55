import Foundation
import TestSupport
import Testing

/// Tests of databases with which the service does not start or cannot store.
@Suite struct StoreRejectedTests {
  /// Makes a folder with the database of a service that has ended.
  private func folderWithList() throws -> TemporaryFolder {
    let service = try RunningService(["--drain", "0s"])
    for number in 0..<100 {
      #expect(try service.signUp("a\(number)@example.org").status == 202)
    }
    service.process.send(signal: SIGTERM)
    #expect(try service.process.wait() == .exit(0))
    return service.folder
  }

  private func damage(_ folder: TemporaryFolder) throws {
    let file = URL(filePath: folder.path(of: "enlist.sqlite"))
    var bytes = try Data(contentsOf: file)
    for index in stride(from: 4096, to: bytes.count, by: 7) { bytes[index] ^= 0x55 }
    // Overwrites the same file, which a running service has open.
    let handle = try FileHandle(forWritingTo: file)
    try handle.write(contentsOf: bytes)
    try handle.close()
  }

  @Test func `a damaged database is reported in one line at startup`() throws {
    let folder = try folderWithList()
    try damage(folder)
    let service = try ChildProcess("enlist", ["--listen", "127.0.0.1:0"], in: folder)
    #expect(try service.wait() == .exit(1))
    let lines = service.standardError.split(separator: "\n").filter { $0.hasPrefix("enlist: ") }
    #expect(lines.count == 1)
    #expect(lines.first?.hasPrefix("enlist: The database enlist.sqlite is damaged") == true)
    #expect(try service.readLine() == nil)
  }

  @Test func `a damaged page that startup does not read is found while the service runs`() throws {
    let folder = try LongList.folder(count: 5000)
    let file = URL(filePath: folder.path(of: "enlist.sqlite"))
    var bytes = try Data(contentsOf: file)
    let text = try #require(bytes.range(of: Data("p2500@example.org".utf8)))
    let page = text.lowerBound / 4096 * 4096
    for index in page..<page + 64 { bytes[index] ^= 0x55 }
    try bytes.write(to: file)
    let service = try RunningService(["--drain", "0s"], in: folder)
    try Deadline(after: .seconds(60)).wait {
      try service.request("GET", "/readyz").status == 503
    }
    #expect(try service.signUp("new@example.org").status == 503)
    #expect(try service.request("GET", "/livez").status == 200)
    let log = try service.endAndReadLog()
    let lines = log.split(separator: "\n").filter {
      $0.contains("the database enlist.sqlite is damaged")
    }
    #expect(lines.count == 1, "\(log)")
    #expect(lines.first?.contains("error") == true)
  }

  @Test func `an error names the folder of a database that cannot be created`() throws {
    let folder = try TemporaryFolder()
    let missing = try CommandRun(["--database", "sqlite:nowhere/list.sqlite"], in: folder)
    #expect(missing.end == .exit(1))
    #expect(missing.errors.contains("the folder nowhere does not exist"), "\(missing.errors)")

    let closed = folder.path(of: "closed")
    try FileManager.default.createDirectory(
      atPath: closed, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o555])
    // Root ignores file permissions unless it drops that capability.
    let launcher =
      geteuid() == 0 ? ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-all"] : []
    let denied = try CommandRun(
      ["--database", "sqlite:closed/list.sqlite"], in: folder, through: launcher)
    #expect(denied.end == .exit(1))
    let reason = "/closed cannot be written: Permission denied"
    #expect(denied.errors.contains(reason), "\(denied.errors)")
  }

  @Test func `a read-only database is reported in one line at startup`() throws {
    let folder = try folderWithList()
    let file = folder.path(of: "enlist.sqlite")
    try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: file)
    // Root ignores file permissions unless it drops that capability.
    let launcher =
      geteuid() == 0 ? ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-all"] : []
    let service = try ChildProcess(
      "enlist", ["--listen", "127.0.0.1:0"], in: folder, through: launcher)
    #expect(try service.wait() == .exit(1))
    #expect(service.standardError.contains("enlist.sqlite is read-only; check the owner"))
  }

  @Test func `a database damaged while the service runs causes 503 and one log line`() throws {
    let service = try RunningService()
    #expect(try service.signUp("first@example.org").status == 202)
    // The service has cached the pages it needs, and reads their replacements when they differ.
    let file = service.folder.path(of: "enlist.sqlite")
    let spoil = try ChildProcess(
      in: service.folder,
      through: [
        // Not with the shell of SQLite, which does not change a schema from 3.46 on.
        "python3", "-c",
        """
        import sqlite3
        database = sqlite3.connect("\(file)")
        database.executescript('''PRAGMA writable_schema=1;
          UPDATE sqlite_schema SET rootpage=1 WHERE name LIKE 'subscribers%';
          PRAGMA writable_schema=0; PRAGMA schema_version=99;''')
        """,
      ]
    )
    try #require(try spoil.wait() == .exit(0), "\(spoil.standardError)")
    for name in ["a", "b", "c"] {
      let response = try service.signUp("\(name)@example.org")
      #expect(response.status == 503)
      #expect(response.text.contains("/problems/storage-unavailable"))
    }
    let errors = try service.endAndReadLog().split(separator: "\n").filter {
      $0.contains("sign-ups cannot be stored")
    }
    #expect(errors.count == 1)
  }
}
