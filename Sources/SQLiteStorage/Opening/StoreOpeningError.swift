internal import CSQLite
internal import MailingList

/// The reason why a database was not opened; its description is for the operator.
package enum StoreOpeningError: Error, Hashable, Sendable {
  /// The file does not exist, is not accessible, or cannot be opened for another reason.
  case cannotOpen(path: String, reason: String)
  /// The file is damaged or not an SQLite database.
  case damaged(path: String, reason: String)
  case readOnly(path: String)
  /// Another process held the lock for longer than the busy timeout.
  case locked(path: String)
  /// A newer release wrote the file; writing to it could lose data that only that release
  /// understands.
  case schemaNewer(path: String, found: Int, known: Int)
  /// The schema is older than a reader or eraser requires; the service migrates it at startup.
  case schemaOlder(path: String, found: Int, known: Int)
  /// The schema is not that of its version: an object was added, changed or removed.
  case schemaChanged(path: String, reason: String)
  /// The file is a database of another program.
  case foreign(path: String)
  /// Another service uses the database.
  case inUse(path: String, lock: String)
  /// The lock file cannot be opened.
  case cannotLock(path: String, lock: String, reason: String)
  /// The log next to the database belongs to a previous database.
  case foreignLog(path: String, log: String)
  /// Another program has damaged the database or its log while a service was using them.
  case changed(path: String, lock: String)
  /// The files were removed or replaced while the database was being opened.
  case replaced(path: String)
  /// Commits would not be durable: `PRAGMA synchronous` is this number instead of FULL (2).
  case notDurable(path: String, synchronous: Int)
  /// The database contains no secret, because the operator has set one for the service.
  case noSecret(path: String)
  /// The database contains an unfinished copy of a list, which may still be running.
  case unfinishedCopy(path: String)

  init(_ error: any Error, path: String) {
    switch error {
    case let error as StoreOpeningError:
      self = error
    case let error as SQLiteError:
      let (code, reason) = (error.code, error.message)
      switch error.primaryCode {
      case SQLITE_NOTADB, SQLITE_CORRUPT: self = .damaged(path: path, reason: reason)
      case SQLITE_READONLY: self = .readOnly(path: path)
      case SQLITE_BUSY, SQLITE_LOCKED: self = .locked(path: path)
      case SQLITE_CANTOPEN:
        let obstacle = DatabaseFiles(path: path).obstacle
        self = .cannotOpen(path: path, reason: obstacle ?? "\(reason) (SQLite \(code))")
      default: self = .cannotOpen(path: path, reason: "\(reason) (SQLite \(code))")
      }
    case StoreError.damaged:
      let reason = "a row cannot be read; enlist verify names its table"
      self = .damaged(path: path, reason: reason)
    case StoreError.locked: self = .locked(path: path)
    case StoreError.readOnly: self = .readOnly(path: path)
    default:
      self = .cannotOpen(path: path, reason: "\(error)")
    }
  }
}

extension StoreOpeningError: CustomStringConvertible {
  /// A message that names the file, the problem and the remedy.
  package var description: String {
    switch self {
    case .cannotOpen(let path, let reason):
      "Cannot open the database \(path): \(reason)."
    case .damaged(let path, let reason):
      "The database \(path) is damaged or not a database: \(reason)."
    case .readOnly(let path):
      "The database \(path) is read-only; check the owner and mode of the file and its folder."
    case .locked(let path):
      "The database \(path) is locked by another process."
    case .schemaNewer(let path, let found, let known):
      """
      The database \(path) has schema version \(found), but this program only knows \(known); use \
      the release that wrote the database, or a later one.
      """
    case .schemaOlder(let path, let found, let known):
      """
      The database \(path) has schema version \(found), but this program needs \(known); start the \
      service once to migrate it.
      """
    case .schemaChanged(let path, let reason):
      "The schema of the database \(path) was changed: \(reason)."
    case .foreign(let path):
      "The database \(path) belongs to another program: it has tables but no schema version."
    case .inUse(let path, let lock):
      """
      The database \(path) is in use by another service, which holds the lock \(lock); stop that \
      service or use another database.
      """
    case .cannotLock(let path, let lock, let reason):
      """
      The database \(path) cannot be locked: cannot open \(lock): \(reason). The service must be \
      able to create files next to the database.
      """
    case .foreignLog(let path, let log):
      """
      The database \(path) was replaced while the log of the previous database was still in use; \
      \(log) would damage it. If the replacement is intended, move \(log) away and start again. \
      That log contains the last sign-ups; they can only be recovered with the previous database.
      """
    case .changed(let path, let lock):
      """
      The database \(path) was changed by another program while a service was using it: it is \
      damaged, or sign-ups are missing. Restore a backup (enlist restore), or remove \(lock) to \
      use what is left.
      """
    case .replaced(let path):
      "The database \(path) was removed or replaced while it was being opened; start again."
    case .notDurable(let path, let synchronous):
      """
      Commits to the database \(path) would not be durable: synchronous is \(synchronous), \
      not FULL (2).
      """
    case .noSecret(let path):
      """
      The database \(path) contains no secret; use the secret that the service was started with \
      (--secret or --secret-file).
      """
    case .unfinishedCopy(let path):
      "The database \(path) contains an incomplete copy; run the same enlist copy again."
    }
  }
}
