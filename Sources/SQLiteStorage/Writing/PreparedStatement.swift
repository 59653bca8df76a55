internal import GRDB
internal import GRDBSQLite
internal import Glibc
internal import MailingList

/// A statement that is prepared once and run many times, through the C interface.
///
/// GRDB prepares it, and finalizes it when this object goes; values are bound with
/// `sqlite3_bind_*`, because the arrays of values that GRDB's own calls are given cost more than a
/// short statement does. Used on the writer's connection only, within
/// `writeWithoutTransaction`.
final class PreparedStatement {
  private let statement: Statement
  private let pointer: OpaquePointer
  /// The first failure of a bind since the last run; a value that was not bound would be NULL.
  private var bindCode = SQLITE_OK

  /// Prepares a statement; the corresponding C function is `sqlite3_prepare_v3`.
  ///
  /// - Parameters:
  ///   - sql: One statement; its parameters are `?1`, `?2`, …
  ///   - db: The connection.
  /// - Throws: `DatabaseError`.
  init(_ sql: String, in db: Database) throws {
    statement = try db.makeStatement(sql: sql)
    pointer = statement.sqliteStatement
  }

  /// Binds a number; the corresponding C function is `sqlite3_bind_int64`.
  func bind(_ number: Int64, at index: Int32) {
    record(sqlite3_bind_int64(pointer, index, number))
  }

  /// Binds a text, or NULL; the corresponding C function is `sqlite3_bind_text`.
  func bind(_ text: String?, at index: Int32) {
    guard var text else {
      record(sqlite3_bind_null(pointer, index))
      return
    }
    let code = text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        // An empty text may have no address, and a null pointer would be NULL.
        guard let address = characters.baseAddress else {
          return sqlite3_bind_text(pointer, index, "", 0, Self.transient)
        }
        let count = Int32(clamping: characters.count)
        return sqlite3_bind_text(pointer, index, address, count, Self.transient)
      }
    }
    record(code)
  }

  /// Binds bytes; the corresponding C function is `sqlite3_bind_blob`.
  func bind(_ bytes: [UInt8], at index: Int32) {
    record(sqlite3_bind_blob(pointer, index, bytes, Int32(clamping: bytes.count), Self.transient))
  }

  /// Runs the statement, which has no rows, to its end and makes it ready for the next time.
  ///
  /// The corresponding C functions are `sqlite3_step` and `sqlite3_reset`.
  ///
  /// - Throws: `StoreError`.
  func run() throws(StoreError) {
    var code = bindCode
    bindCode = SQLITE_OK
    // `sqlite3_system_errno` is this, too, but SQLite 3.40 does not take it down when a commit fails.
    errno = 0
    if code == SQLITE_OK { code = sqlite3_step(pointer) }
    guard code == SQLITE_DONE else {
      // Before the reset, which could change it.
      let systemError = errno
      sqlite3_reset(pointer)
      throw StoreError(code: code, systemError: systemError)
    }
    sqlite3_reset(pointer)
  }

  private func record(_ code: Int32) {
    if code != SQLITE_OK, bindCode == SQLITE_OK { bindCode = code }
  }

  /// `SQLITE_TRANSIENT`, a macro that Swift cannot see: SQLite copies what it is given.
  private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
