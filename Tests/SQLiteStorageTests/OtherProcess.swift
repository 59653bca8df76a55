import TestSupport

/// A connection that holds the lock of a database; to SQLite, it behaves like another process.
struct OtherProcess {
  private let file: SQLiteFile

  init(holding path: String, exclusively isExclusive: Bool = false) throws {
    file = try SQLiteFile(path)
    try file.execute(isExclusive ? "BEGIN EXCLUSIVE" : "BEGIN IMMEDIATE")
  }

  func release() throws {
    try file.execute("ROLLBACK")
  }
}
