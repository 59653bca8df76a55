import GRDB
import TestSupport

extension RunningService {
  /// The path of its database.
  var database: String { folder.path(of: "enlist.sqlite") }

  /// How many subscribers and how many consents are stored.
  ///
  /// Each sign-up is one row of both, when all were of different addresses; otherwise something was
  /// half stored.
  func storedCounts() throws -> (subscribers: Int, consents: Int) {
    var configuration = Configuration()
    configuration.readonly = true
    let reader = try DatabaseQueue(path: database, configuration: configuration)
    return try reader.read { db in
      (
        try Int.fetchOne(db, sql: "SELECT count(*) FROM subscribers") ?? 0,
        try Int.fetchOne(db, sql: "SELECT count(*) FROM consents") ?? 0
      )
    }
  }
}

/// The write lock of a service's database, in the hands of another connection.
///
/// To SQLite, the test is another process.
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

  /// Gives it back.
  func giveBack() throws {
    try queue.inDatabase { try $0.execute(sql: "ROLLBACK") }
  }
}
