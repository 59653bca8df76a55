internal import GRDB
internal import GRDBSQLite
internal import MailingList

/// The progress of a copy.
package struct CopyProgress: Hashable, Sendable {
  /// The size of the copy so far, in bytes.
  package let copiedBytes: Int
  /// The expected size of the copy, in bytes; the final size may differ a little.
  package let totalBytes: Int
}

/// Functions that copy a database in use.
enum DatabaseCopy {
  /// Copies one state of a database, including the pages that are only in its log, to an empty
  /// file.
  ///
  /// `VACUUM INTO` (<https://www.sqlite.org/lang_vacuum.html>) reads in one transaction. No writer
  /// waits for it. Checkpoints continue, but can neither copy pages that are written during the
  /// copy nor restart the log from its beginning, so the log grows by everything that is written
  /// during the copy. The next checkpoint of the service copies the log, and the next commit
  /// truncates it.
  ///
  /// The copy is not durable until it has been written to the disk.
  ///
  /// - Parameter proceed: Called about every millisecond; returns `false` to end the copy.
  static func write(
    _ source: DatabaseQueue,
    to file: PartialFile,
    proceed: @escaping (CopyProgress) -> Bool
  ) throws(BackupError) {
    let result: Result<Void, BackupError> = source.inDatabase { db in
      do {
        // The connection does not write to the source, and the copy is synchronized as a whole.
        try db.execute(sql: "PRAGMA synchronous = OFF")
        let total = try expectedBytes(of: db)
        let handler = ProgressHandler(on: db) {
          proceed(CopyProgress(copiedBytes: file.byteCount, totalBytes: total))
        }
        try withExtendedLifetime(handler) {
          try db.execute(sql: "VACUUM INTO ?", arguments: [file.path])
        }
        return .success(())
      } catch {
        return .failure(failure(error, of: db, file))
      }
    }
    try result.get()
  }

  private static func expectedBytes(of db: Database) throws -> Int {
    let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
    let unused = try Int.fetchOne(db, sql: "PRAGMA freelist_count") ?? 0
    return (pages - unused) * (try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0)
  }

  private static func failure(
    _ error: any Error,
    of db: Database,
    _ file: PartialFile
  ) -> BackupError {
    guard let error = error as? DatabaseError else {
      return .notCopied(path: file.target, StoreError(error))
    }
    let code = error.extendedResultCode.rawValue
    if code & 0xFF == SQLITE_INTERRUPT { return .interrupted }
    let systemError = sqlite3_system_errno(db.sqliteConnection)
    return .notCopied(path: file.target, StoreError(code: code, systemError: systemError))
  }
}
