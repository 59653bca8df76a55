internal import GRDB
internal import GRDBSQLite

/// A check that the paths of a database still name the open files.
///
/// Commits go to the open files, even if these have been renamed or removed meanwhile. After a
/// replacement, a program that opens the database by its path would not find those commits.
struct DatabaseWatch: Sendable {
  private let path: String
  private let log: String
  private let databaseIdentity: FileIdentity
  private let logIdentity: FileIdentity

  /// Records the identity of a connection's files.
  ///
  /// - Parameters:
  ///   - files: The paths of the files.
  ///   - db: An open connection in WAL mode that has already read from the database, so that its
  ///     log is open.
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

  /// Whether both paths still name the open files; it costs two calls of `statx`.
  var isIntact: Bool {
    FileIdentity(at: path) == databaseIdentity && FileIdentity(at: log) == logIdentity
  }

  /// The record of the database that the log belongs to.
  var owner: LogOwner { LogOwner(database: databaseIdentity.inode, log: logIdentity.inode) }
}
