internal import CSQLite

/// A failed call of SQLite (<https://www.sqlite.org/rescode.html>).
struct SQLiteError: Error, Hashable {
  /// The extended result code.
  let code: Int32
  /// The description, which may contain the content of a row.
  let message: String
  /// The value of `errno` after the failed call; 0 if none was set.
  var systemError: Int32 = 0

  /// The result code without its extension.
  var primaryCode: Int32 { code & 0xFF }
}

extension SQLiteError {
  /// Reads the last error of a connection; the corresponding C functions are `sqlite3_errmsg` and
  /// `sqlite3_system_errno`.
  init(_ code: Int32, of connection: OpaquePointer?) {
    self.code = code
    message = String(cString: sqlite3_errmsg(connection))
    systemError = sqlite3_system_errno(connection)
  }
}
