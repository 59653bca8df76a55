internal import Glibc
internal import Locks

/// The lock that keeps a second service away from a database.
///
/// An advisory lock on a file of its own, not on the database: closing any descriptor of that would
/// release SQLite's locks. Commands that run next to the service do not take it.
final class StoreLock: Sendable {
  private let descriptor: Lock<Int32>

  /// Takes the lock; the corresponding C function is `flock`.
  ///
  /// - Parameters:
  ///   - files: The database. Its lock file is created if needed, for its owner only.
  ///   - warn: Called when the file system has no locks; the service then runs without one.
  /// - Throws: `StoreOpeningError.inUse` when another service holds the lock, `.cannotLock` when the
  ///   file cannot be opened.
  init(
    _ files: DatabaseFiles,
    warn: @Sendable (StoreWarning) -> Void
  ) throws(StoreOpeningError) {
    let descriptor = open(files.lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw .cannotLock(path: files.path, lock: files.lock, reason: Self.reason())
    }
    var status = stat()
    // A file that was just created is empty; the umask may have taken permissions away.
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

  /// Releases the lock; once is enough.
  func release() {
    let descriptor = descriptor.withLock { descriptor in
      defer { descriptor = -1 }
      return descriptor
    }
    if descriptor >= 0 { close(descriptor) }
  }

  /// Records which log belongs to which database, durably.
  ///
  /// A failure is ignored: the record protects only a database that is replaced while its log is not
  /// empty.
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

  private static func reason() -> String {
    String(cString: strerror(errno))
  }
}
