import TestSupport
import Testing

extension RunningService {
  /// The path of the service's database.
  var database: String { folder.path(of: "enlist.sqlite") }

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
    let limit = try ChildProcess(through: [
      "sh", "-c", "prlimit --pid \(process.id) --fsize=\(size):",
    ])
    #expect(try limit.wait() == .exit(0))
  }

  /// The service's database for reading.
  var file: SQLiteFile {
    get throws { try SQLiteFile(database, isReadOnly: true) }
  }
}

/// The write lock of a service's database, held by another connection.
///
/// For SQLite, the test is another process.
struct StolenLock {
  private let file: SQLiteFile

  /// Takes the lock.
  init(of service: RunningService) throws {
    file = try SQLiteFile(service.database, busyTimeout: .seconds(10))
    try file.execute("BEGIN IMMEDIATE")
  }

  /// Releases the lock.
  func giveBack() throws {
    try file.execute("ROLLBACK")
  }
}
