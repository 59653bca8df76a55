internal import CSQLite
internal import Glibc
internal import MailingList

extension StoreError {
  /// Converts a result code of SQLite (<https://www.sqlite.org/rescode.html>).
  ///
  /// The system error distinguishes a full disk from a defective one.
  ///
  /// - Parameter systemError: The value of `errno` after the failed call; 0 if none was set.
  init(code: Int32, systemError: Int32 = 0) {
    switch code & 0xFF {
    case SQLITE_FULL: self = .full
    case SQLITE_IOERR where Self.meansNoSpace(systemError): self = .full
    case SQLITE_IOERR where Self.meansReadOnly(systemError): self = .readOnly
    case SQLITE_BUSY, SQLITE_LOCKED: self = .locked
    case SQLITE_READONLY: self = .readOnly
    case SQLITE_CORRUPT, SQLITE_NOTADB: self = .damaged
    default: self = .failed(code: code)
    }
  }

  /// Converts an error that was thrown by a read or while opening the database.
  ///
  /// The message of an `SQLiteError` is dropped because it may contain an address. A `StoreError` is
  /// unchanged.
  init(_ error: any Error) {
    switch error {
    case let error as StoreError: self = error
    case let error as SQLiteError:
      self.init(code: error.code, systemError: error.systemError)
    default: self = .failed(code: SQLITE_ERROR)
    }
  }

  /// The error of a statement that was interrupted.
  static let interrupted = StoreError(code: SQLITE_INTERRUPT)

  /// Whether a system error means that no space is available.
  ///
  /// SQLite reports only `ENOSPC` as full; for the operator, a quota and a limit on file sizes are
  /// the same.
  private static func meansNoSpace(_ systemError: Int32) -> Bool {
    systemError == ENOSPC || systemError == EDQUOT || systemError == EFBIG
  }

  /// Whether a system error means that the file is read-only.
  ///
  /// SQLite detects a read-only file when it opens it. If the file becomes read-only later, the
  /// write fails; this includes all files of a disk that the system remounts read-only after an
  /// error.
  private static func meansReadOnly(_ systemError: Int32) -> Bool {
    systemError == EROFS || systemError == EPERM
  }
}
