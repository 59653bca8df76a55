internal import GRDB
internal import GRDBSQLite

/// The write-ahead log of the writer's connection: when it is copied into the database, and how large
/// it may be.
///
/// SQLite would checkpoint within `COMMIT`. Here the writer does it after it has sent the outcomes of
/// the transaction, so that no sign-up of that transaction waits for it.
// @unchecked Sendable because it is made before the writer's thread is, and only that thread uses it
// afterwards.
final class LogFile: @unchecked Sendable {
  /// How large the log is when it has been copied, and from when on its growth is reported.
  static let maximumBytes = 64 * 1024 * 1024
  /// From how many pages on the log is copied into the database.
  ///
  /// Keys come in random order, so the longer the log, the more changes of a page are copied at once.
  /// It saves a sixth of the writer's CPU time compared with SQLite's 1000; checkpoints are rarer and
  /// longer.
  private static let checkpointPages = 4000

  private let connection: OpaquePointer?
  private let path: String
  private let maximumPages: Int
  private let pageBytes: Int
  private let warn: @Sendable (StoreWarning) -> Void
  private var pageCount = 0
  private var hasWarned = false

  /// Takes the checkpoints over from SQLite; the corresponding C function is `sqlite3_wal_hook`.
  ///
  /// - Parameters:
  ///   - db: The writer's connection, which must not be used after this object is gone.
  ///   - path: The path of the log, for the warning.
  ///   - maximumBytes: From when on the growth of the log is reported.
  ///   - warn: Called once when the log is too large, and again after it was copied in between.
  /// - Throws: `DatabaseError`.
  init(
    of db: Database,
    path: String,
    maximumBytes: Int = LogFile.maximumBytes,
    warn: @escaping @Sendable (StoreWarning) -> Void
  ) throws {
    connection = db.sqliteConnection
    self.path = path
    self.warn = warn
    pageBytes = max(try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0, 512)
    maximumPages = maximumBytes / pageBytes
    let context = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_wal_hook(
      connection,
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
    sqlite3_wal_hook(connection, nil, nil)
  }

  /// Copies the log into the database if it is long enough, without waiting for anybody.
  ///
  /// The corresponding C function is `sqlite3_wal_checkpoint_v2`. What cannot be copied, because
  /// another process reads an older state, is copied later.
  func checkpointIfNeeded() {
    guard pageCount >= Self.checkpointPages else { return }
    var (total, copied): (Int32, Int32) = (0, 0)
    sqlite3_wal_checkpoint_v2(connection, "main", SQLITE_CHECKPOINT_PASSIVE, &total, &copied)
    if copied >= total {
      hasWarned = false
    } else if Int(total) > maximumPages, !hasWarned {
      hasWarned = true
      warn(.largeLog(path: path, byteCount: Int(total) * pageBytes))
    }
  }

  /// Copies the whole log into the database that is open and empties the log, as far as other
  /// connections let it.
  func empty() {
    sqlite3_wal_checkpoint_v2(connection, "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
  }

  /// Sets whether a connection leaves the log where it is when it is closed.
  ///
  /// The corresponding C operation is `SQLITE_FCNTL_PERSIST_WAL`.
  static func keep(_ isKept: Bool, of db: Database) {
    var value: Int32 = isKept ? 1 : 0
    sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_PERSIST_WAL, &value)
  }
}
