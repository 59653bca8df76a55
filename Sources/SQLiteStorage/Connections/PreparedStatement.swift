internal import CSQLite
internal import Glibc
internal import MailingList

/// A statement that is prepared once and run many times.
final class PreparedStatement {
  /// The corresponding C type is `sqlite3_stmt *`.
  let handle: OpaquePointer
  /// The error of the first failed bind since the last run; without this check, an unbound value
  /// would be NULL.
  private var bindCode = SQLITE_OK

  /// Prepares a statement; the corresponding C function is `sqlite3_prepare_v3`.
  ///
  /// - Parameter sql: One statement; its parameters are `?1`, `?2`, …
  init(_ sql: String, in db: SQLiteConnection) throws(SQLiteError) {
    var statement: OpaquePointer?
    let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
    let code = sqlite3_prepare_v3(db.handle, sql, -1, flags, &statement, nil)
    guard code == SQLITE_OK, let statement else { throw SQLiteError(code, of: db.handle) }
    handle = statement
  }

  deinit {
    sqlite3_finalize(handle)
  }

  /// Binds a number; the corresponding C function is `sqlite3_bind_int64`.
  func bind(_ number: Int64, at index: Int32) {
    record(sqlite3_bind_int64(handle, index, number))
  }

  /// Binds a number, or NULL for `nil`; the corresponding C function is `sqlite3_bind_int64`.
  func bind(_ number: Int64?, at index: Int32) {
    if let number {
      bind(number, at: index)
    } else {
      record(sqlite3_bind_null(handle, index))
    }
  }

  /// Binds a string, or NULL for `nil`; the corresponding C function is `sqlite3_bind_text`.
  func bind(_ text: String?, at index: Int32) {
    guard var text else {
      record(sqlite3_bind_null(handle, index))
      return
    }
    let code = text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        // The buffer of an empty string may have no address, and a null pointer would bind NULL.
        guard let address = characters.baseAddress else {
          return sqlite3_bind_text(handle, index, "", 0, Self.transient)
        }
        let count = Int32(clamping: characters.count)
        return sqlite3_bind_text(handle, index, address, count, Self.transient)
      }
    }
    record(code)
  }

  /// Binds bytes; the corresponding C function is `sqlite3_bind_blob`.
  func bind(_ bytes: [UInt8], at index: Int32) {
    record(sqlite3_bind_blob(handle, index, bytes, Int32(clamping: bytes.count), Self.transient))
  }

  /// Binds bytes, or NULL for `nil`; the corresponding C function is `sqlite3_bind_blob`.
  func bind(_ bytes: [UInt8]?, at index: Int32) {
    if let bytes {
      bind(bytes, at: index)
    } else {
      record(sqlite3_bind_null(handle, index))
    }
  }

  /// Runs the statement, which must not return rows, and resets it for the next run.
  ///
  /// The corresponding C functions are `sqlite3_step` and `sqlite3_reset`.
  func run() throws(StoreError) {
    guard try next() else { return }
    sqlite3_reset(handle)
    throw StoreError(code: SQLITE_MISUSE)
  }

  /// Steps to the next row, whose columns can then be read; after the last row, returns `false` and
  /// resets the statement for the next run.
  ///
  /// A caller that does not read all rows must call ``reset()``. The corresponding C functions are
  /// `sqlite3_step` and `sqlite3_reset`.
  func next() throws(StoreError) -> Bool {
    var code = bindCode
    bindCode = SQLITE_OK
    // Not `sqlite3_system_errno`, because SQLite 3.40 does not record the error of a failed commit.
    errno = 0
    if code == SQLITE_OK { code = sqlite3_step(handle) }
    if code == SQLITE_ROW { return true }
    // Read `errno` before the reset, which could change it.
    let systemError = errno
    sqlite3_reset(handle)
    guard code == SQLITE_DONE else { throw StoreError(code: code, systemError: systemError) }
    return false
  }

  /// Ends a run before its last row; the corresponding C function is `sqlite3_reset`.
  func reset() {
    sqlite3_reset(handle)
  }

  /// Runs the statement and reads its first row; `nil` without a row.
  func first<Value>(
    _ read: (PreparedStatement) throws(StoreError) -> Value
  ) throws(StoreError) -> Value? {
    guard try next() else { return nil }
    defer { reset() }
    return try read(self)
  }

  /// Runs the statement and reads each of its rows.
  func all<Value>(
    _ read: (PreparedStatement) throws(StoreError) -> Value
  ) throws(StoreError) -> [Value] {
    var values: [Value] = []
    // Also ends the run after an unreadable row.
    defer { reset() }
    while try next() { values.append(try read(self)) }
    return values
  }

  private func record(_ code: Int32) {
    if code != SQLITE_OK, bindCode == SQLITE_OK { bindCode = code }
  }

  /// `SQLITE_TRANSIENT`, a macro that Swift does not import: SQLite copies the bound value.
  private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
