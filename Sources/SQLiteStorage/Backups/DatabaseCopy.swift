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
    _ source: SQLiteConnection, to file: PartialFile, proceed: @escaping (CopyProgress) -> Bool
  ) throws(BackupError) {
    do {
      // The connection does not write to the source, and the copy is synchronized as a whole.
      try source.execute("PRAGMA synchronous = OFF")
      let total = try expectedBytes(of: source)
      let proceed = { proceed(CopyProgress(copiedBytes: file.byteCount, totalBytes: total)) }
      try source.run(while: proceed) { try file.copy(source) }
    } catch {
      let error = StoreError(error)
      throw error == .interrupted ? .interrupted : .notCopied(path: file.target, error)
    }
  }

  private static func expectedBytes(of db: SQLiteConnection) throws(SQLiteError) -> Int {
    let pages = try db.number("PRAGMA page_count") ?? 0
    let unused = try db.number("PRAGMA freelist_count") ?? 0
    return Int((pages - unused) * (try db.number("PRAGMA page_size") ?? 0))
  }
}

extension PartialFile {
  /// Copies one state of a database to this file, which is empty.
  func copy(_ db: SQLiteConnection) throws {
    let statement = try PreparedStatement("VACUUM INTO ?1", in: db)
    statement.bind(path, at: 1)
    try statement.run()
  }
}
