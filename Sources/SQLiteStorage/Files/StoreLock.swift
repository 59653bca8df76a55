internal import Glibc
internal import Locks

/// The lock that prevents a second service from using a database.
///
/// It is an advisory lock on a file of its own: with a lock on the database, closing its descriptor
/// would release SQLite's locks. Commands that run next to the service do not take it.
final class StoreLock: Sendable {
  private let descriptor: Lock<Int32>

  /// Takes the lock; the corresponding C function is `flock`.
  ///
  /// - Parameters:
  ///   - files: The files of the database. The lock file is created if needed; only its owner can
  ///     access it.
  ///   - warn: Called if the file system does not support locks; the service then runs without one.
  /// - Throws: `StoreOpeningError.inUse` if another service holds the lock, `.cannotLock` if the
  ///   lock file cannot be opened.
  init(
    _ files: DatabaseFiles,
    warn: @Sendable (StoreWarning) -> Void
  ) throws(StoreOpeningError) {
    let descriptor = open(files.lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw .cannotLock(path: files.path, lock: files.lock, reason: Self.reason())
    }
    var status = stat()
    // A new file is empty; the umask may have removed permissions.
    if fstat(descriptor, &status) == 0, status.st_size == 0 { fchmod(descriptor, 0o600) }
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      switch errno {
      case EINTR:
        continue
      case EWOULDBLOCK:
        close(descriptor)
        throw .inUse(path: files.path, lock: files.lock)
      default:
        warn(.noLock(reason: Self.reason()))
        self.descriptor = Lock(descriptor)
        return
      }
    }
    self.descriptor = Lock(descriptor)
  }

  deinit {
    release()
  }

  /// Releases the lock; further calls have no effect.
  func release() {
    let descriptor = descriptor.withLock { descriptor in
      defer { descriptor = -1 }
      return descriptor
    }
    guard descriptor >= 0 else { return }
    // Explicitly: closing does not release it while a child process that has not executed its
    // program yet has a copy of the descriptor.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Durably records which database the log belongs to.
  ///
  /// A failure is ignored, because the record matters only if the database is replaced while its
  /// log is not empty.
  ///
  /// - Parameter owner: The record.
  func record(_ owner: LogOwner) {
    descriptor.withLock { descriptor in
      let bytes = Array(owner.text.utf8)
      ftruncate(descriptor, 0)
      pwrite(descriptor, bytes, bytes.count, 0)
      fsync(descriptor)
    }
  }

  /// Forgets which database the log belongs to, because the database has been replaced and has no
  /// log.
  func forgetOwner() {
    descriptor.withLock { descriptor in
      ftruncate(descriptor, 0)
      fsync(descriptor)
    }
  }

  /// Gives the lock file to the owner of another file, which only root can do.
  ///
  /// - Parameter status: The other file; `nil` keeps the owner.
  func setOwner(to status: FileStatus?) {
    guard geteuid() == 0, let status else { return }
    // Without the right owner, the service reports what is wrong when it starts.
    descriptor.withLock { _ = fchown($0, status.userID, status.groupID) }
  }

  private static func reason() -> String {
    String(cString: strerror(errno))
  }
}
