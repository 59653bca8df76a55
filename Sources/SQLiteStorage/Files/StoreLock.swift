internal import Glibc
internal import Signals

/// The lock that prevents a second service from using a database.
///
/// It consists of advisory locks on two files. The separate lock file remains when the database is
/// replaced. The lock on the database itself also holds under its other names (hard links), and
/// after the lock file has been removed. Commands that run while the service is running do not take
/// it.
final class StoreLock: Sendable {
  private struct Descriptors {
    var file: Int32
    /// -1 if the database does not exist.
    var database: Int32
  }

  private let descriptors: Lock<Descriptors>

  /// Takes the lock; the corresponding C function is `flock`.
  ///
  /// - Parameters:
  ///   - files: The files of the database, which this process has not opened yet. The lock file is
  ///     created if needed; only its owner can access it.
  ///   - warn: Called if the file system does not support locks, or may hide those of others; the
  ///     service then runs without a certain one.
  /// - Throws: `StoreOpeningError.inUse` if another service holds the lock, `.cannotLock` if the
  ///   lock file cannot be opened.
  init(_ files: DatabaseFiles, warn: @Sendable (StoreWarning) -> Void) throws(StoreOpeningError) {
    let descriptor = open(files.lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw .cannotLock(path: files.path, lock: files.lock, reason: Self.reason())
    }
    var status = stat()
    // A new file is empty; the umask may have removed permissions.
    if fstat(descriptor, &status) == 0, status.st_size == 0 { fchmod(descriptor, 0o600) }
    switch Self.lock(descriptor) {
    case 0: if let system = SharedFileSystem(of: descriptor) { warn(.sharedFileSystem(system)) }
    case EWOULDBLOCK:
      close(descriptor)
      throw .inUse(path: files.path, lock: files.lock)
    default: warn(.noLock(reason: Self.reason()))
    }
    let database = open(files.database, O_RDONLY | O_CLOEXEC)
    if database >= 0, Self.lock(database) == EWOULDBLOCK {
      close(descriptor)
      // The database stays open: closing it would release the locks that SQLite may hold on it.
      throw .inUse(path: files.path, lock: files.database)
    }
    descriptors = Lock(Descriptors(file: descriptor, database: database))
  }

  /// Locks a file without waiting; returns 0 or the value of `errno`.
  private static func lock(_ descriptor: Int32) -> Int32 {
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      if errno != EINTR { return errno }
    }
    return 0
  }

  deinit {
    release()
  }

  /// Releases the lock; further calls have no effect.
  ///
  /// SQLite must have closed the database, because this function releases SQLite's locks on it,
  /// too.
  func release() {
    let descriptors = descriptors.withLock { descriptors in
      defer { descriptors = Descriptors(file: -1, database: -1) }
      return descriptors
    }
    for descriptor in [descriptors.database, descriptors.file] where descriptor >= 0 {
      // An explicit unlock: closing does not release the lock while a forked child process that has
      // not executed its program yet has a copy of the descriptor.
      flock(descriptor, LOCK_UN)
      close(descriptor)
    }
  }

  /// Whether the database has lost all its names, so that the system deletes it when the process
  /// ends.
  var isDatabaseRemoved: Bool {
    descriptors.withLock { descriptors in
      var status = stat()
      return descriptors.database >= 0 && fstat(descriptors.database, &status) == 0
        && status.st_nlink == 0
    }
  }

  /// Durably records the database of the log.
  ///
  /// A failure is ignored, because the record matters only if the database is replaced while its
  /// log is not empty.
  func record(_ owner: LogOwner) {
    descriptors.withLock { descriptors in
      let bytes = Array(owner.text.utf8)
      ftruncate(descriptors.file, 0)
      pwrite(descriptors.file, bytes, bytes.count, 0)
      fsync(descriptors.file)
    }
  }

  /// Clears the record of the log's database, because the new database has no log.
  func forgetOwner() {
    descriptors.withLock { descriptors in
      ftruncate(descriptors.file, 0)
      fsync(descriptors.file)
    }
  }

  /// Sets the owner of the lock file to that of another file, which only root can do; `nil` keeps
  /// the owner.
  func setOwner(to status: FileStatus?) {
    guard geteuid() == 0, let status else { return }
    // If the owner is wrong, the service reports the problem at startup.
    descriptors.withLock { _ = fchown($0.file, status.userID, status.groupID) }
  }

  private static func reason() -> String {
    String(cString: strerror(errno))
  }
}
