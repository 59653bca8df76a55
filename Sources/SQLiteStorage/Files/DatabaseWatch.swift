internal import GRDB
internal import GRDBSQLite

/// Checks that the paths of a database still name the files that are open.
///
/// What is committed goes into the files that are open, whatever their names are by then. When
/// somebody has removed or replaced them, a commit is lost to whoever opens the database by its path.
struct DatabaseWatch: Sendable {
  private let path: String
  private let log: String
  private let databaseIdentity: FileIdentity
  private let logIdentity: FileIdentity

  /// Remembers the files of a connection.
  ///
  /// - Parameters:
  ///   - files: Their paths.
  ///   - db: An open connection in WAL mode that has read something, so that its log is open.
  /// - Throws: `StoreOpeningError.replaced` when the paths already name other files.
  init(_ files: DatabaseFiles, of db: Database) throws(StoreOpeningError) {
    guard let database = FileIdentity(at: files.path), let log = FileIdentity(at: files.log) else {
      throw .replaced(path: files.path)
    }
    var hasMoved: Int32 = 0
    sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    guard hasMoved == 0 else { throw .replaced(path: files.path) }
    path = files.path
    self.log = files.log
    databaseIdentity = database
    logIdentity = log
  }

  /// Whether both paths name the files that are open: two calls of `stat`.
  var isIntact: Bool {
    FileIdentity(at: path) == databaseIdentity && FileIdentity(at: log) == logIdentity
  }

  /// Which database the log belongs to.
  var owner: LogOwner { LogOwner(database: databaseIdentity.inode, log: logIdentity.inode) }
}
