internal import Glibc

/// The paths of the files of a database.
struct DatabaseFiles: Sendable {
  /// The path as the operator entered it.
  let path: String
  /// The database itself, with all symbolic links resolved: the other files are next to the result.
  let database: String
  /// SQLite's write-ahead log.
  let log: String
  /// SQLite's shared index of the log.
  let index: String
  /// The service's lock file, which is never deleted.
  let lock: String
  /// The lock file of the process that sends mails, which is never deleted.
  let relayLock: String

  /// Determines the files of a database, which need not exist.
  init(path: String) {
    self.path = path
    database = Self.resolve(path)
    // Computed once, because each commit uses them.
    log = database + "-wal"
    index = database + "-shm"
    lock = database + "-lock"
    relayLock = database + "-relay"
  }

  /// Whether a path names one of the files, or would if that file existed.
  func includes(_ path: String) -> Bool {
    let own = [database, log, index, lock, relayLock]
    guard let identity = FileIdentity(at: path) else { return own.contains(Self.resolve(path)) }
    return own.contains { FileIdentity(at: $0) == identity }
  }

  /// Makes a path absolute and resolves its symbolic links; the corresponding C function is
  /// `realpath`.
  ///
  /// If no file exists there, only its folder is resolved. If the folder does not exist either, the
  /// path is returned unchanged.
  static func resolve(_ path: String) -> String {
    if let resolved = realPath(path) { return resolved }
    let (folder, name) = split(path)
    guard let resolved = realPath(folder) else { return path }
    return resolved == "/" ? "/\(name)" : "\(resolved)/\(name)"
  }

  /// Splits a path into the folder, which is `.` if the path has none, and the name of the file.
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
  /// SQLite gives the files that it creates next to the database the same permissions. If the file
  /// exists or cannot be created, this function does nothing; SQLite reports the reason when it
  /// opens the database.
  static func create(at path: String) {
    var status = stat()
    // Do not open an existing file: closing it would release SQLite's locks on it.
    guard stat(path, &status) != 0, errno == ENOENT else { return }
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    fchmod(descriptor, 0o600)
    close(descriptor)
  }

  /// The existing files that every user of the machine can read.
  var publiclyReadable: [String] {
    [database, log, index, lock].filter { path in
      FileStatus(at: path).map { $0.permissions & 0o004 != 0 } ?? false
    }
  }

  /// Throws an error if the log next to the database belongs to a previous database, or if a
  /// service has found the files damaged.
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
