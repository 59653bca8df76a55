package import MailingList

/// The reason why a backup, restore, verification or migration failed.
package enum BackupError: Error, Hashable, Sendable {
  /// A database cannot be opened, or was rejected when it was opened.
  case database(StoreOpeningError)
  /// Copying failed; the file to be replaced is unchanged.
  case notCopied(path: String, StoreError)
  /// A file cannot be created, renamed or written to the disk.
  case file(FileSystemError)
  /// The path does not name a regular file.
  case notAFile(path: String)
  /// The file to be replaced is no database, so it is something else.
  case notABackup(path: String)
  /// The path names the database itself, or one of the files next to it.
  case isDatabase(path: String)
  /// A log is next to the file to be replaced, so a program may be using that file as a database.
  case hasLog(path: String, log: String)
  /// Another process is writing the same file.
  case isBeingWritten(path: String)
  /// Another program has the database open.
  case isOpenElsewhere(path: String)
  /// The operator interrupted the command; nothing has changed.
  case interrupted
}

extension BackupError: CustomStringConvertible {
  /// A message that names the file, the problem and the remedy.
  package var description: String {
    switch self {
    case .database(let error): error.description
    case .notCopied(let path, let error): "Cannot copy the database to \(path): \(error)."
    case .file(let error): error.description
    case .notAFile(let path): "\(path) is not a file."
    case .notABackup(let path):
      "\(path) exists and is not a backup; use another name."
    case .isDatabase(let path):
      "\(path) is the database itself or belongs to it; use the path of another file."
    case .hasLog(let path, let log):
      """
      \(path) may be a database in use: replacing it would damage it, because \(log) is next to it. \
      Use another name.
      """
    case .isBeingWritten(let path):
      "Another process is writing \(path); wait until it has ended."
    case .isOpenElsewhere(let path):
      """
      The database \(path) is open in another program, such as enlist export or the SQLite shell; \
      end it and run the same command again.
      """
    case .interrupted: "interrupted; nothing has changed"
    }
  }
}
