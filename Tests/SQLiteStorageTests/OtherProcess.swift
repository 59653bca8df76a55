import GRDB

/// A connection that holds the lock of a database; to SQLite, it behaves like another process.
struct OtherProcess {
  private let connection: DatabaseQueue

  init(holding path: String, exclusively isExclusive: Bool = false) throws {
    var configuration = GRDB.Configuration()
    configuration.allowsUnsafeTransactions = true
    connection = try DatabaseQueue(path: path, configuration: configuration)
    try connection.inDatabase {
      try $0.execute(sql: isExclusive ? "BEGIN EXCLUSIVE" : "BEGIN IMMEDIATE")
    }
  }

  func release() throws {
    try connection.inDatabase { try $0.execute(sql: "ROLLBACK") }
    try connection.close()
  }
}
