import Glibc
import TestSupport
import Testing

extension Enlist {
  /// The path of the service's database.
  var database: String { folder("enlist.sqlite") }

  /// The service's database for reading.
  var file: SQLiteFile {
    get throws { try SQLiteFile(database, isReadOnly: true) }
  }

  /// Counts the stored subscribers and consents.
  ///
  /// If all sign-ups have different addresses, each one is a row of both tables; different counts
  /// mean that a sign-up was stored only in part.
  func storedCounts() throws -> (subscribers: Int, consents: Int) {
    let counts = try file.numbers(
      "SELECT count(*) FROM subscribers UNION ALL SELECT count(*) FROM consents")
    return (Int(counts[0]), Int(counts[1]))
  }

  /// Limits the file size of the running process with `prlimit`.
  ///
  /// Only the soft limit is set, so that it can be lifted again. It is set after startup because
  /// the files that sanitizers map at startup are larger.
  func limitFiles(to size: String) throws {
    let limit = try Child.run(["prlimit", "--pid", "\(process.id)", "--fsize=\(size):"])
    #expect(limit.end == .exit(0), "\(limit.errors)")
  }
}

/// The write lock of a service's database, held by another connection.
///
/// For SQLite, the test is another process.
struct StolenLock {
  private let file: SQLiteFile

  init(of service: Enlist) throws {
    file = try SQLiteFile(service.database, busyTimeout: .seconds(10))
    try file.execute("BEGIN IMMEDIATE")
  }

  func giveBack() throws {
    try file.execute("ROLLBACK")
  }
}

/// A list that is so long that copying it takes a while.
enum LongList {
  /// Makes a folder with the database of a service that has ended.
  ///
  /// - Parameter count: The number of subscribers, each with one consent.
  static func folder(count: Int) throws -> Folder {
    let service = try Enlist(["--drain", "0s"])
    #expect(try service.process.wait(after: SIGTERM) == .exit(0))
    try SQLiteFile(service.database).execute(
      """
      BEGIN;
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
      INSERT INTO subscribers(address, address_key, state, created_at, updated_at)
        SELECT 'p' || i || '@example.org', 'p' || i || '@example.org', 1, 0, 0 FROM n;
      INSERT INTO consents(id, subscriber_id, kind, at, text)
        SELECT CAST(printf('%022d', id) AS BLOB), id, 'requested', 0, hex(randomblob(100))
        FROM subscribers;
      COMMIT
      """
    )
    return service.folder
  }
}

extension Folder {
  /// Whether a file is not empty.
  func hasBytes(in name: String) -> Bool { (try? read(name).isEmpty) == false }

  /// The names of files that are hidden, such as those of incomplete copies.
  var hiddenFiles: [String] {
    get throws { try names.filter { $0.hasPrefix(".") } }
  }
}

extension Client {
  /// Sends a sign-up as JSON without waiting for the response.
  func sendSignUp(of address: String, fields: [String] = []) throws {
    try request(
      "POST", "/subscribers", fields: ["Content-Type: application/json"] + fields,
      body: #"{"email":"\#(address)"}"#)
  }
}
