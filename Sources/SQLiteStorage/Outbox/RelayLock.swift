internal import Glibc
internal import Signals

/// The lock of the process that sends the mails of a database.
///
/// The system releases it when the process ends, even after a crash. Then another process can send,
/// and interrupted mails are due immediately. It is an advisory lock on a separate file, like
/// ``StoreLock``.
final class RelayLock: Sendable {
  private enum State {
    /// The lock has not been tried yet.
    case open
    /// This process has the lock, or the file system does not support locks.
    case held(Int32)
    /// Another process has the lock.
    case elsewhere
    /// The lock has been released permanently.
    case closed
  }

  private let path: String
  private let state = Lock(State.open)

  /// Creates a lock that is not held.
  ///
  /// - Parameter path: The lock file, which is created when the lock is first taken; only its owner
  ///   can access it.
  init(path: String) {
    self.path = path
  }

  deinit {
    release()
  }

  /// Whether another process had the lock at the last attempt.
  var isElsewhere: Bool {
    state.withLock { state in
      switch state {
      case .elsewhere: true
      case .open, .held, .closed: false
      }
    }
  }

  /// Takes the lock unless it is already held, and returns whether this process may send; never
  /// waits.
  ///
  /// The corresponding C function is `flock`.
  func take() -> Bool {
    state.withLock { state in
      switch state {
      case .held: return true
      case .closed: return false
      case .open, .elsewhere: break
      }
      let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard descriptor >= 0 else {
        // The lock of the store still prevents a second service.
        state = .held(-1)
        return true
      }
      while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
        switch errno {
        case EINTR:
          continue
        case EWOULDBLOCK:
          close(descriptor)
          state = .elsewhere
          return false
        default:
          state = .held(descriptor)
          return true
        }
      }
      state = .held(descriptor)
      return true
    }
  }

  /// Releases the lock permanently; further calls have no effect.
  func release() {
    state.withLock { state in
      switch state {
      case .held(let descriptor):
        guard descriptor >= 0 else { break }
        // An explicit unlock, see `StoreLock.release`.
        flock(descriptor, LOCK_UN)
        close(descriptor)
      case .open, .elsewhere, .closed: break
      }
      state = .closed
    }
  }
}
