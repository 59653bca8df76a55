internal import CSQLite

/// The write-ahead log of the writer's connection, with its checkpoints and its size limit.
///
/// By default, SQLite runs checkpoints within `COMMIT`. Here the writer runs them after it has sent
/// the outcomes of the transaction, so that no sign-up of that transaction waits for a checkpoint.
// @unchecked Sendable because it is created before the writer's thread, and only that thread uses
// it afterwards.
final class LogFile: @unchecked Sendable {
  /// The maximum size of a copied log in bytes, and the size above which growth is reported.
  static let maximumBytes = 64 * 1024 * 1024
  /// The number of pages at which the log is copied into the database.
  ///
  /// Keys arrive in random order, so a longer log combines more changes of a page into one copy.
  /// This saves a sixth of the writer's CPU time compared with SQLite's default of 1000 pages;
  /// checkpoints are rarer and take longer.
  private static let checkpointPages = 4000

  private let db: SQLiteConnection
  private let path: String
  private let maximumPages: Int
  private let pageBytes: Int
  private let warn: @Sendable (StoreWarning) -> Void
  private var pageCount = 0
  private var hasWarned = false

  /// Takes over the checkpoints from SQLite; the corresponding C function is `sqlite3_wal_hook`.
  ///
  /// - Parameters:
  ///   - db: The writer's connection, which must not be closed before this object is released.
  ///   - maximumBytes: The size in bytes above which growth of the log is reported.
  ///   - warn: Called once when the log is too large, and again only if the log has been copied in
  ///     the meantime.
  init(
    of db: SQLiteConnection, path: String, maximumBytes: Int = LogFile.maximumBytes,
    warn: @escaping @Sendable (StoreWarning) -> Void
  ) throws(SQLiteError) {
    self.db = db
    self.path = path
    self.warn = warn
    pageBytes = max(Int(try db.number("PRAGMA page_size") ?? 0), 512)
    maximumPages = maximumBytes / pageBytes
    let context = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_wal_hook(
      db.handle,
      { context, _, _, pageCount in
        guard let context else { return SQLITE_OK }
        let file = Unmanaged<LogFile>.fromOpaque(context).takeUnretainedValue()
        file.pageCount = Int(pageCount)
        return SQLITE_OK
      },
      context
    )
  }

  deinit {
    sqlite3_wal_hook(db.handle, nil, nil)
  }

  /// Copies the log into the database if it is long enough, without waiting for other connections.
  ///
  /// The corresponding C function is `sqlite3_wal_checkpoint_v2`. Pages that cannot be copied yet,
  /// because another process is reading an older state, are copied later.
  ///
  /// Returns whether the database may have changed.
  @discardableResult
  func checkpointIfNeeded() -> Bool {
    guard pageCount >= Self.checkpointPages else { return false }
    checkpoint()
    return true
  }

  /// Copies the log into the database, whatever its length; see ``checkpointIfNeeded()``.
  func checkpoint() {
    var (total, copied): (Int32, Int32) = (0, 0)
    sqlite3_wal_checkpoint_v2(db.handle, "main", SQLITE_CHECKPOINT_PASSIVE, &total, &copied)
    if copied >= total {
      hasWarned = false
    } else if Int(total) > maximumPages, !hasWarned {
      hasWarned = true
      warn(.largeLog(path: path, byteCount: Int(total) * pageBytes))
    }
  }

  /// Copies the whole log into the open database and truncates it, as far as other connections
  /// allow.
  func empty() {
    try? db.emptyLog()
  }

  /// Makes closing the connection leave the log unchanged, because the log cannot be copied.
  static func leave(_ db: SQLiteConnection) {
    _ = csqlite_disable_checkpoint_on_close(db.handle)
  }

  /// Sets whether the log file remains in the folder when the connection closes.
  ///
  /// The corresponding C operation is `SQLITE_FCNTL_PERSIST_WAL`.
  static func keep(_ isKept: Bool, of db: SQLiteConnection) {
    var value: Int32 = isKept ? 1 : 0
    sqlite3_file_control(db.handle, "main", SQLITE_FCNTL_PERSIST_WAL, &value)
  }
}
