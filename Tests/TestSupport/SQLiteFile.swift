internal import CSQLite

/// A connection to a database file, with which a test reads and changes the file like another
/// program.
///
/// It closes when it is released.
// @unchecked Sendable because SQLite serializes its calls.
package final class SQLiteFile: @unchecked Sendable {
  private let handle: OpaquePointer?
  private let isBorrowed: Bool

  /// Opens a file, and creates it if it does not exist; the corresponding C function is
  /// `sqlite3_open_v2`.
  ///
  /// - Parameter busyTimeout: The maximum wait of a statement for the lock of another connection.
  package init(
    _ path: String, isReadOnly: Bool = false, busyTimeout: Duration = .zero
  ) throws(SQLiteFileError) {
    var connection: OpaquePointer?
    let access = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    let code = sqlite3_open_v2(path, &connection, access | SQLITE_OPEN_FULLMUTEX, nil)
    handle = connection
    isBorrowed = false
    try check(code)
    sqlite3_busy_timeout(handle, Int32(busyTimeout / .milliseconds(1)))
  }

  /// Uses a connection, which must outlive this object.
  package init(borrowing connection: OpaquePointer) {
    handle = connection
    isBorrowed = true
  }

  deinit {
    if !isBorrowed { sqlite3_close_v2(handle) }
  }

  /// Runs statements, and ignores their rows; the corresponding C function is `sqlite3_exec`.
  package func execute(_ sql: String) throws(SQLiteFileError) {
    try check(sqlite3_exec(handle, sql, nil, nil, nil))
  }

  /// Returns the rows of a statement; the corresponding C functions are `sqlite3_prepare_v2` and
  /// `sqlite3_step`.
  package func rows(_ sql: String) throws(SQLiteFileError) -> [[SQLiteValue]] {
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil))
    defer { sqlite3_finalize(statement) }
    var rows: [[SQLiteValue]] = []
    while true {
      let code = sqlite3_step(statement)
      guard code == SQLITE_ROW else {
        if code != SQLITE_DONE { try check(code) }
        return rows
      }
      rows.append((0..<sqlite3_column_count(statement)).map { SQLiteValue(statement, $0) })
    }
  }

  /// Returns the numbers in the first column.
  package func numbers(_ sql: String) throws(SQLiteFileError) -> [Int64] {
    try rows(sql).compactMap(\.first?.number)
  }

  /// Returns the texts in the first column.
  package func texts(_ sql: String) throws(SQLiteFileError) -> [String] {
    try rows(sql).compactMap(\.first?.text)
  }

  /// Returns the bytes in the first column.
  package func bytes(_ sql: String) throws(SQLiteFileError) -> [[UInt8]] {
    try rows(sql).compactMap(\.first?.bytes)
  }

  private func check(_ code: Int32) throws(SQLiteFileError) {
    guard code == SQLITE_OK else {
      throw SQLiteFileError(code: code, message: String(cString: sqlite3_errmsg(handle)))
    }
  }
}

/// A failed call of SQLite.
package struct SQLiteFileError: Error {
  package let code: Int32
  package let message: String
}

/// A value in a row.
package struct SQLiteValue: Hashable, Sendable {
  package var number: Int64?
  package var text: String?
  package var bytes: [UInt8]?

  /// Reads a column of the current row; a value with a fraction becomes a text.
  fileprivate init(_ statement: OpaquePointer?, _ column: Int32) {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_NULL: break
    case SQLITE_INTEGER: number = sqlite3_column_int64(statement, column)
    case SQLITE_BLOB:
      bytes = Array(
        UnsafeRawBufferPointer(
          start: sqlite3_column_blob(statement, column),
          count: Int(sqlite3_column_bytes(statement, column))))
    default: text = sqlite3_column_text(statement, column).map { String(cString: $0) }
    }
  }
}

extension SQLiteValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByNilLiteral
{
  package init(stringLiteral value: String) { text = value }
  package init(integerLiteral value: Int64) { number = value }
  package init(nilLiteral: ()) {}
}

extension Collection<UInt8> {
  /// The bytes as a literal in SQL.
  package var sql: String {
    "x'" + map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined() + "'"
  }
}
