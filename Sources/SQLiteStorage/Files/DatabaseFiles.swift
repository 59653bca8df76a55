internal import Glibc

/// The files that a database consists of.
struct DatabaseFiles: Sendable {
  /// The path that the operator named.
  let path: String
  /// The database itself, with all symbolic links resolved: the other files are next to it.
  let database: String
  /// SQLite's write-ahead log.
  var log: String { database + "-wal" }
  /// SQLite's index of the log.
  var index: String { database + "-shm" }
  /// The file whose lock the service holds; it is never deleted.
  var lock: String { database + "-lock" }

  /// Finds the files of a database; the corresponding C function is `realpath`.
  ///
  /// - Parameter path: The path that the operator named. A path that names no file is left as it is.
  init(path: String) {
    self.path = path
    guard let resolved = realpath(path, nil) else {
      database = path
      return
    }
    database = String(cString: resolved)
    free(resolved)
  }

  /// Creates the database file, empty and for its owner only, whatever the umask; SQLite gives the
  /// files that it creates next to it the same permissions.
  ///
  /// - Parameter path: The path. Nothing happens when it names a file, or none can be created: SQLite
  ///   then reports the reason when it opens the database.
  static func create(at path: String) {
    var status = stat()
    // A file that exists is not opened: closing it would release SQLite's locks on it.
    guard stat(path, &status) != 0, errno == ENOENT else { return }
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    fchmod(descriptor, 0o600)
    close(descriptor)
  }

  /// The files, with their names in warnings, that every user of the machine can read.
  var publiclyReadable: [String] {
    [database, log, index, lock].filter { path in
      FileStatus(at: path).map { $0.permissions & 0o004 != 0 } ?? false
    }
  }

  /// Throws when the log that is next to the database belongs to a database that was there before.
  ///
  /// SQLite would copy the pages of that log into the database and damage it: a log does not record
  /// which database it belongs to. The service records it next to its lock.
  ///
  /// - Throws: `StoreOpeningError.foreignLog`.
  func checkLog() throws(StoreOpeningError) {
    guard let recorded = LogOwner(readingFrom: lock),
      let log = FileStatus(at: log), log.byteCount > 0, log.identity.inode == recorded.log,
      let database = FileIdentity(at: database), database.inode != recorded.database
    else { return }
    throw .foreignLog(path: path, log: self.log)
  }
}
