internal import GRDB
internal import GRDBSQLite

/// A handler that SQLite calls while it runs statements, and that can end them.
///
/// The corresponding C function is `sqlite3_progress_handler`.
// Not Sendable: the connection's thread uses it.
final class ProgressHandler {
  /// The number of instructions between two calls; they take about a millisecond.
  private static let interval: Int32 = 2000

  private let connection: OpaquePointer?
  private let proceed: () -> Bool

  /// Installs the handler until this object is released, which must happen before the connection
  /// closes.
  ///
  /// - Parameter proceed: Returns whether to proceed; otherwise the statement fails with
  ///   `SQLITE_INTERRUPT`.
  init(on db: Database, _ proceed: @escaping () -> Bool) {
    connection = db.sqliteConnection
    self.proceed = proceed
    sqlite3_progress_handler(
      connection,
      Self.interval,
      { context in
        guard let context else { return 0 }
        return Unmanaged<ProgressHandler>.fromOpaque(context).takeUnretainedValue().proceed()
          ? 0 : 1
      },
      Unmanaged.passUnretained(self).toOpaque()
    )
  }

  deinit {
    sqlite3_progress_handler(connection, 0, nil, nil)
  }
}
