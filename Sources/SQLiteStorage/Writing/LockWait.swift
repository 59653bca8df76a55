internal import GRDB
internal import GRDBSQLite
internal import Glibc
internal import Synchronization

/// How a connection waits for the lock of another process, in place of `sqlite3_busy_timeout`.
///
/// The timeout counts for all that a piece of work waits for together, not for each statement. The
/// wait can also be given a deadline from another thread, while it lasts.
// @unchecked Sendable because all but the deadline is used on the connection's thread only.
final class LockWait: @unchecked Sendable {
  private let timeout: Int64
  private let longestPause: UInt32
  private let deadline = Atomic(Int64.max)
  /// When the current piece of work has waited long enough; `nil` before its first wait.
  private var end: Int64?

  /// Makes a wait.
  ///
  /// - Parameters:
  ///   - timeout: How long one piece of work waits at most.
  ///   - longestPause: How long it sleeps between two attempts at most. A short pause finds a lock
  ///     that a busy process releases for some microseconds only.
  init(timeout: Duration, longestPause: Duration = .milliseconds(25)) {
    self.timeout = Self.nanoseconds(min(timeout, .seconds(86_400)))
    self.longestPause = UInt32(clamping: Self.nanoseconds(longestPause) / 1000)
  }

  /// Begins a piece of work, for which the timeout counts from its first wait.
  func begin() {
    end = nil
  }

  /// Ends every wait at a deadline, also one that lasts already; from any thread.
  ///
  /// - Parameter time: How long from now.
  func end(within time: Duration) {
    deadline.store(Self.now + Self.nanoseconds(time), ordering: .relaxed)
  }

  /// Makes a connection wait this way; the corresponding C function is `sqlite3_busy_handler`.
  ///
  /// - Parameter db: The connection, which this object has to outlive.
  func install(on db: Database) {
    sqlite3_busy_handler(
      db.sqliteConnection,
      { context, attempts in
        guard let context else { return 0 }
        let wait = Unmanaged<LockWait>.fromOpaque(context).takeUnretainedValue()
        return wait.pause(after: attempts) ? 1 : 0
      },
      Unmanaged.passUnretained(self).toOpaque()
    )
  }

  /// Sleeps a little; longer the more attempts there were.
  ///
  /// - Returns: Whether to try again.
  private func pause(after attempts: Int32) -> Bool {
    let now = Self.now
    let end = self.end ?? now + timeout
    self.end = end
    let left = min(end, deadline.load(ordering: .relaxed)) - now
    guard left > 0 else { return false }
    let pause = min(UInt32(1000) << UInt32(min(max(attempts, 0), 5)), longestPause)
    usleep(min(pause, UInt32(clamping: left / 1000 + 1)))
    return true
  }

  private static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  private static func nanoseconds(_ duration: Duration) -> Int64 {
    let parts = duration.components
    return parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000
  }
}
