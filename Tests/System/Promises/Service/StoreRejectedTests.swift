import Foundation
import TestSupport
import Testing

/// Tests of databases with which the service does not start or cannot store.
@Suite struct StoreRejectedTests {
  /// Takes from root the right to ignore file permissions.
  private static let obeying =
    geteuid() == 0 ? ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-all"] : []

  /// Makes a folder with the database of a service that has ended.
  private func folderWithList() throws -> Folder {
    let service = try Enlist(["--drain", "0s"])
    for number in 0..<100 { try service.signUp("a\(number)@example.org").expect(202) }
    _ = try service.stop()
    return service.folder
  }

  // MARK: At startup

  @Test func `a damaged database is reported in one line at startup`() throws {
    let folder = try folderWithList()
    let file = URL(filePath: folder("enlist.sqlite"))
    var bytes = try Data(contentsOf: file)
    for index in stride(from: 4096, to: bytes.count, by: 7) { bytes[index] ^= 0x55 }
    try bytes.write(to: file)
    let run = try Child.run(["enlist", "--listen", "127.0.0.1:0"], in: folder).expect(65)
    let lines = run.errors.split(separator: "\n").filter { $0.hasPrefix("enlist: ") }
    #expect(lines.count == 1, "\(run.errors)")
    #expect(
      lines.first?.hasPrefix("enlist: The database enlist.sqlite is damaged") == true,
      "\(run.errors)")
    #expect(run.output.isEmpty)
  }

  @Test func `an error names the folder of a database that cannot be created`() throws {
    let folder = try Folder()
    try FileManager.default.createDirectory(
      atPath: folder("closed"), withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o555])
    let run = try Child.run(
      Self.obeying + ["enlist", "--database", "sqlite:closed/list.sqlite"], in: folder)
    run.expect(1)
    #expect(run.errors.contains("/closed cannot be written: Permission denied"), "\(run.errors)")
  }

  @Test func `a read-only database is reported in one line at startup`() throws {
    let folder = try folderWithList()
    #expect(chmod(folder("enlist.sqlite"), 0o444) == 0)
    let run = try Child.run(
      Self.obeying + ["enlist", "--listen", "127.0.0.1:0", "--log-level", "error"], in: folder)
    run.expect(1)
    #expect(run.errors.contains("enlist.sqlite is read-only; check the owner"), "\(run.errors)")
    #expect(run.errors.utf8.count { $0 == 10 } == 1, "\(run.errors)")
  }

  // MARK: While the service runs

  @Test func `a damaged page that startup does not read is found while the service runs`() throws {
    let folder = try LongList.folder(count: 5000)
    let file = URL(filePath: folder("enlist.sqlite"))
    var bytes = try Data(contentsOf: file)
    let text = try #require(bytes.range(of: Data("p2500@example.org".utf8)))
    let page = text.lowerBound / 4096 * 4096
    for index in page..<page + 64 { bytes[index] ^= 0x55 }
    try bytes.write(to: file)
    let service = try Enlist(["--drain", "0s"], in: folder)
    try eventually("the status 503", within: .seconds(60)) {
      try service.get("/readyz").status == 503
    }
    try service.signUp("new@example.org").expect(503)
    try service.get("/livez").expect(200)
    // The check goes on after it has found the damage.
    try service.process.waitForLog("the database enlist.sqlite is damaged")
    let log = try service.stop()
    let lines = log.split(separator: "\n").filter {
      $0.contains("the database enlist.sqlite is damaged")
    }
    #expect(lines.count == 1, "\(log)")
    #expect(lines.first?.contains("error") == true, "\(lines)")
  }

  @Test func `a database damaged while the service runs causes 503 and one log line`() throws {
    let service = try Enlist()
    try service.signUp("first@example.org").expect(202)
    // The service has cached the pages it needs, and reads their replacements when they differ.
    // Not with the shell of SQLite, which does not change a schema from 3.46 on.
    try Child.run([
      "python3", "-c",
      """
      import sqlite3
      database = sqlite3.connect("\(service.database)")
      database.executescript('''PRAGMA writable_schema=1;
        UPDATE sqlite_schema SET rootpage=1 WHERE name LIKE 'subscribers%';
        PRAGMA writable_schema=0; PRAGMA schema_version=99;''')
      """,
    ]).expect(0)
    for name in ["a", "b", "c"] {
      try service.signUp("\(name)@example.org").expect(503, "storage-unavailable")
    }
    let log = try service.stop()
    let errors = log.split(separator: "\n").filter { $0.contains("sign-ups cannot be stored") }
    #expect(errors.count == 1, "\(log)")
  }
}
