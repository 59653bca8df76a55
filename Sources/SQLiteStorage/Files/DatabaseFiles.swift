internal import Glibc

/// The paths of the files that make up a database.
struct DatabaseFiles: Sendable {
  /// The path that the operator named.
  let path: String
  /// The database itself, with all symbolic links resolved: the other files are next to it.
  let database: String
  /// SQLite's write-ahead log.
  let log: String
  /// SQLite's index of the log.
  let index: String
  /// The file whose lock the service holds; it is never deleted.
  let lock: String
  /// The file whose lock the process that sends mails holds; it is never deleted.
  let relayLock: String

  /// Finds the files of a database.
  ///
  /// - Parameter path: The path that the operator named; no file needs to exist there.
  init(path: String) {
    self.path = path
    database = Self.resolve(path)
    // Made once: each commit looks at them.
    log = database + "-wal"
    index = database + "-shm"
    lock = database + "-lock"
    relayLock = database + "-relay"
  }

  /// Whether a path names one of the files, or would name one of them.
  func includes(_ path: String) -> Bool {
    let own = [database, log, index, lock, relayLock]
    guard let identity = FileIdentity(at: path) else { return own.contains(Self.resolve(path)) }
    return own.contains { FileIdentity(at: $0) == identity }
  }

  /// Makes a path absolute and resolves its symbolic links; the corresponding C function is
  /// `realpath`.
  ///
  /// - Returns: The resolved path; if no file exists there, only its folder is resolved, and the
  ///   path itself is returned if that does not exist either.
  static func resolve(_ path: String) -> String {
    if let resolved = realPath(path) { return resolved }
    let (folder, name) = split(path)
    guard let resolved = realPath(folder) else { return path }
    return resolved == "/" ? "/\(name)" : "\(resolved)/\(name)"
  }

  /// Splits a path into the folder and the name of the file.
  ///
  /// - Returns: The folder, `.` if the path has none, and the name.
  static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    let folder = path[..<slash]
    return (folder.isEmpty ? "/" : String(folder), String(path[path.index(after: slash)...]))
  }

  private static func realPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Creates an empty database file that only its owner can access, regardless of the umask.
  ///
  /// SQLite gives the files that it creates next to the database the same permissions.
  ///
  /// - Parameter path: The path of the file. If the file exists or cannot be created, this function
  ///   does nothing; SQLite reports the reason when it opens the database.
  static func create(at path: String) {
    var status = stat()
    // Do not open an existing file: closing it would release SQLite's locks on it.
    guard stat(path, &status) != 0, errno == ENOENT else { return }
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    fchmod(descriptor, 0o600)
    close(descriptor)
  }

  /// The paths of the files that every user of the machine can read.
  var publiclyReadable: [String] {
    [database, log, index, lock].filter { path in
      FileStatus(at: path).map { $0.permissions & 0o004 != 0 } ?? false
    }
  }

  /// Throws an error when the log next to the database belongs to a previous database, or when a
  /// service has found that the files were damaged.
  ///
  /// A log does not record which database it belongs to, so SQLite would copy its pages into the
  /// new database and damage it. The service records the owner of the log in its lock file.
  func checkLog() throws(StoreOpeningError) {
    guard let recorded = LogOwner(readingFrom: lock), let database = FileIdentity(at: database)
    else { return }
    if database.inode == recorded.database {
      guard !recorded.isDamaged else { throw .changed(path: path, lock: lock) }
      return
    }
    guard let log = FileStatus(at: log), log.byteCount > 0, log.identity.inode == recorded.log
    else { return }
    throw .foreignLog(path: path, log: self.log)
  }
}
