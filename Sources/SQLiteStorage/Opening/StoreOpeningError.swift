internal import GRDB
internal import GRDBSQLite

/// Why a database was not opened; its description is for the operator.
package enum StoreOpeningError: Error, Hashable, Sendable {
  /// The file is not there, or not accessible, or something else went wrong.
  ///
  /// - Parameters:
  ///   - path: Which file.
  ///   - code: The extended result code (<https://www.sqlite.org/rescode.html>).
  ///   - reason: SQLite's own words.
  case cannotOpen(path: String, code: Int32, reason: String)
  /// The file holds something else than an SQLite database, or a damaged one.
  case damaged(path: String, reason: String)
  /// The file may only be read.
  case readOnly(path: String)
  /// Another process held the lock for longer than the busy timeout.
  case locked(path: String)
  /// A newer release wrote the file; to go on could lose what only that release knows.
  case schemaNewer(path: String, found: Int, known: Int)
  /// The file was never migrated to what a reader needs; the service does so when it starts.
  case schemaOlder(path: String, found: Int, known: Int)
  /// The file is a database of another program.
  case foreign(path: String)
  /// Another service uses the database.
  ///
  /// - Parameters:
  ///   - path: Which file.
  ///   - lock: The file whose lock the other service holds.
  case inUse(path: String, lock: String)
  /// The file whose lock the service takes cannot be opened.
  case cannotLock(path: String, lock: String, reason: String)
  /// The log next to the database belongs to a database that was there before.
  case foreignLog(path: String, log: String)
  /// The files were removed or replaced while the database was being opened.
  case replaced(path: String)
  /// Commits would not wait for the disk: `PRAGMA synchronous` is this number, not FULL (2).
  case notDurable(path: String, synchronous: Int)

  /// What an error that was thrown while opening means.
  ///
  /// - Parameters:
  ///   - error: What was thrown.
  ///   - path: Which file.
  init(_ error: any Error, path: String) {
    switch error {
    case let error as StoreOpeningError:
      self = error
    case let error as DatabaseError:
      let code = error.extendedResultCode.rawValue
      let reason = error.message ?? String(cString: sqlite3_errstr(code))
      switch code & 0xFF {
      case SQLITE_NOTADB, SQLITE_CORRUPT: self = .damaged(path: path, reason: reason)
      case SQLITE_READONLY: self = .readOnly(path: path)
      case SQLITE_BUSY, SQLITE_LOCKED: self = .locked(path: path)
      default: self = .cannotOpen(path: path, code: code, reason: reason)
      }
    default:
      self = .cannotOpen(path: path, code: SQLITE_ERROR, reason: "\(error)")
    }
  }
}

extension StoreOpeningError: CustomStringConvertible {
  /// One sentence: which file, what is wrong, and what can be done about it.
  package var description: String {
    switch self {
    case .cannotOpen(let path, let code, let reason):
      "Cannot open the database \(path): \(reason) (SQLite \(code))."
    case .damaged(let path, let reason):
      "The database \(path) is damaged, or no database: \(reason)."
    case .readOnly(let path):
      "The database \(path) may only be read; check the owner and mode of the file and its folder."
    case .locked(let path):
      "The database \(path) is locked by another process."
    case .schemaNewer(let path, let found, let known):
      """
      The database \(path) has schema version \(found), newer than this program, which knows \
      \(known); use the release that wrote it, or a later one.
      """
    case .schemaOlder(let path, let found, let known):
      """
      The database \(path) has schema version \(found), older than \(known), which is needed; start \
      the service once to bring it up to date.
      """
    case .foreign(let path):
      "The database \(path) belongs to another program: it has tables, but no schema version."
    case .inUse(let path, let lock):
      """
      The database \(path) is in use by another service, which holds the lock \(lock); end that \
      service, or use another database.
      """
    case .cannotLock(let path, let lock, let reason):
      """
      The database \(path) cannot be locked: cannot open \(lock): \(reason). The service has to be \
      able to create files next to the database.
      """
    case .foreignLog(let path, let log):
      """
      The database \(path) was replaced while the log of the one before was still in use: \(log) \
      would damage it. If the replacement is meant, move \(log) away and start again; the last \
      sign-ups are in that log, and only the database that was replaced can take them back.
      """
    case .replaced(let path):
      "The database \(path) was removed or replaced while it was being opened; start again."
    case .notDurable(let path, let synchronous):
      "The database \(path) would not wait for the disk: synchronous is \(synchronous), not FULL (2)."
    }
  }
}
