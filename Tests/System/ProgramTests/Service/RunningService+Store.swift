import GRDB
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
    try read { db in
      (
        try Int.fetchOne(db, sql: "SELECT count(*) FROM subscribers") ?? 0,
        try Int.fetchOne(db, sql: "SELECT count(*) FROM consents") ?? 0
      )
    }
  }

  /// Reads the first column of a query.
  ///
  /// - Parameters:
  ///   - type: The type of its values, none of which is null.
  ///   - sql: The query.
  /// - Returns: The values.
  /// - Throws: `DatabaseError`.
  func column<Value: DatabaseValueConvertible>(
    _ type: Value.Type,
    _ sql: String
  ) throws -> [Value] {
    try read { try Value.fetchAll($0, sql: sql) }
  }

  /// Limits the file size of the running process with `prlimit`.
  ///
  /// Only the soft limit is set, so that it can be lifted again. It is set after startup because
  /// the files that sanitizers map at startup are larger.
  func limitFiles(to size: String) throws {
    let limit = try ChildProcess(
      through: ["sh", "-c", "prlimit --pid \(process.id) --fsize=\(size):"]
    )
    #expect(try limit.wait() == .exit(0))
  }

  private func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
    var configuration = Configuration()
    configuration.readonly = true
    let reader = try DatabaseQueue(path: database, configuration: configuration)
    return try reader.read(body)
  }
}

/// The write lock of a service's database, held by another connection.
///
/// For SQLite, the test is another process.
struct StolenLock {
  private let queue: DatabaseQueue

  /// Takes the lock.
  init(of service: RunningService) throws {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    configuration.busyMode = .timeout(10)
    queue = try DatabaseQueue(path: service.database, configuration: configuration)
    try queue.inDatabase { try $0.execute(sql: "BEGIN IMMEDIATE") }
  }

  /// Releases the lock.
  func giveBack() throws {
    try queue.inDatabase { try $0.execute(sql: "ROLLBACK") }
  }
}
