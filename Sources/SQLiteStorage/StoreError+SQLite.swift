internal import GRDB
internal import GRDBSQLite
internal import Glibc
internal import MailingList

extension StoreError {
  /// What a result code of SQLite means for whoever waits to be stored.
  ///
  /// The codes are those of <https://www.sqlite.org/rescode.html>; the system's error tells a disk
  /// that is full from one that is broken.
  ///
  /// - Parameters:
  ///   - code: The extended result code.
  ///   - systemError: `errno` after the call that failed, 0 if nothing.
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

  /// What an error that a reading or opening call threw means.
  ///
  /// - Parameter error: An error of GRDB, whose message is dropped because it may hold an address;
  ///   a `StoreError` stays what it is.
  init(_ error: any Error) {
    switch error {
    case let error as StoreError: self = error
    case let error as DatabaseError: self.init(code: error.extendedResultCode.rawValue)
    default: self = .failed(code: SQLITE_ERROR)
    }
  }

  /// SQLite calls only `ENOSPC` full; a quota and a limit on file sizes are the same to the operator.
  private static func meansNoSpace(_ systemError: Int32) -> Bool {
    systemError == ENOSPC || systemError == EDQUOT || systemError == EFBIG
  }

  /// SQLite finds out when it opens a file; one that changes later fails the write, as do all files
  /// of a disk that the system mounts anew for reading only, since it has found an error there.
  private static func meansReadOnly(_ systemError: Int32) -> Bool {
    systemError == EROFS || systemError == EPERM
  }
}
