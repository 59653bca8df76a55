internal import CSQLite

/// A connection to a database.
///
/// It trusts nothing in the schema, which may have another origin
/// (<https://www.sqlite.org/security.html>), and enforces foreign keys. It closes when it is
/// released.
// @unchecked Sendable because its owner passes it from thread to thread, and one thread at a time
// uses it.
final class SQLiteConnection: @unchecked Sendable {
  /// The process's settings of SQLite, which are applied before its first connection is opened.
  ///
  /// SQLite then does not count the memory in use, which this program never reads: counting takes a
  /// process-wide lock for each allocation, and a sign-up makes 25 allocations. The corresponding C
  /// function is `sqlite3_config`, which has no effect if other code already uses the library.
  private static let configured: Void = { _ = csqlite_disable_memory_statistics() }()

  /// The corresponding C type is `sqlite3 *`.
  let handle: OpaquePointer
  private let lockWait: LockWait?
  private var isOpen = true
  /// The statements that this connection runs repeatedly.
  private(set) lazy var statements = StatementCache(self)

  /// Opens a file, and checks that it is empty or a database; the corresponding C function is
  /// `sqlite3_open_v2`.
  ///
  /// - Parameters:
  ///   - path: The file; `:memory:` creates a database in memory.
  ///   - busyTimeout: The maximum wait of a statement for the lock of another process.
  ///   - lockWait: A waiting policy that replaces `busyTimeout`.
  init(
    path: String, isReadOnly: Bool = false, busyTimeout: Duration = .zero, lockWait: LockWait? = nil
  ) throws(SQLiteError) {
    _ = Self.configured
    let access = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    let flags = access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    var connection: OpaquePointer?
    let code = sqlite3_open_v2(path, &connection, flags, nil)
    guard code == SQLITE_OK, let connection else {
      defer { sqlite3_close(connection) }
      throw SQLiteError(code, of: connection)
    }
    handle = connection
    self.lockWait = lockWait
    if let lockWait {
      lockWait.install(on: handle)
    } else {
      let milliseconds = min(max(busyTimeout / .milliseconds(1), 0), 86_400_000)
      sqlite3_busy_timeout(handle, Int32(milliseconds))
    }
    csqlite_distrust_schema(handle)
    try execute("PRAGMA foreign_keys = ON")
    _ = try number("SELECT 1 FROM sqlite_schema LIMIT 1")
  }

  deinit {
    // The connection remains until its last statement has been released.
    if isOpen { sqlite3_close_v2(handle) }
  }

  /// Closes the files, unless a statement outside of ``statements`` still exists.
  func close() throws(SQLiteError) {
    statements.removeAll()
    try check(sqlite3_close(handle))
    isOpen = false
  }

  /// Whether the connection cannot change the file.
  var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") != 0 }

  /// Whether a transaction is open; the corresponding C function is `sqlite3_get_autocommit`.
  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// The number of rows that the last statement has changed.
  var changesCount: Int { Int(sqlite3_changes64(handle)) }

  /// Runs statements, and ignores their rows; the corresponding C function is `sqlite3_exec`.
  func execute(_ sql: String) throws(SQLiteError) {
    try check(sqlite3_exec(handle, sql, nil, nil, nil))
  }

  /// Returns the number in the first column of the first row; `nil` for NULL or without a row.
  func number(_ sql: String) throws(SQLiteError) -> Int64? {
    try first(sql) { $0.number(0) }
  }

  /// Returns the text in the first column of the first row; `nil` for NULL or without a row.
  func text(_ sql: String) throws(SQLiteError) -> String? {
    try first(sql) { $0.text(0) }
  }

  /// Runs a closure in a transaction, which is rolled back if the closure throws.
  func transaction<Value>(
    _ begin: String = "BEGIN IMMEDIATE", _ body: (SQLiteConnection) throws -> Value
  ) throws -> Value {
    try execute(begin)
    do {
      let value = try body(self)
      try execute("COMMIT")
      return value
    } catch {
      // A failed rollback is ignored, because the error of the transaction is reported.
      if isInTransaction { try? execute("ROLLBACK") }
      throw error
    }
  }

  /// Copies the whole log into the database and truncates it; the corresponding C function is
  /// `sqlite3_wal_checkpoint_v2`.
  func emptyLog() throws(SQLiteError) {
    try check(sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil))
  }

  /// Throws the error of a call that has failed.
  private func check(_ code: Int32) throws(SQLiteError) {
    guard code == SQLITE_OK else { throw SQLiteError(code, of: handle) }
  }

  private func first<Value>(
    _ sql: String, _ read: (PreparedStatement) -> Value?
  ) throws(SQLiteError) -> Value? {
    let statement = try PreparedStatement(sql, in: self)
    let code = sqlite3_step(statement.handle)
    if code == SQLITE_ROW { return read(statement) }
    guard code == SQLITE_DONE else { throw SQLiteError(code, of: handle) }
    return nil
  }
}
