internal import CSQLite
internal import Glibc
internal import Synchronization

/// A connection's waiting policy for the lock of another process, which replaces
/// `sqlite3_busy_timeout`.
///
/// The timeout applies to the sum of all waits of one unit of work, not to each statement. Another
/// thread can set a deadline during a wait.
// @unchecked Sendable because only the connection's thread uses it, except for the atomic deadline.
final class LockWait: @unchecked Sendable {
  private let timeout: Int64
  private let longestPause: UInt32
  private let deadline = Atomic(Int64.max)
  /// The time at which the current unit of work times out; `nil` before its first wait.
  private var end: Int64?

  /// Creates a waiting policy.
  ///
  /// - Parameter longestPause: The maximum pause between two attempts. With a short pause, an
  ///   attempt can succeed even if a busy process releases the lock only for microseconds.
  init(timeout: Duration, longestPause: Duration = .milliseconds(25)) {
    self.timeout = Self.nanoseconds(min(timeout, .seconds(86_400)))
    self.longestPause = UInt32(clamping: Self.nanoseconds(longestPause) / 1000)
  }

  /// Begins a unit of work; its timeout starts with its first wait.
  func begin() {
    end = nil
  }

  /// Repeats a call for which SQLite does not call the busy handler, such as one that needs the
  /// lock of checkpoints.
  ///
  /// - Parameter proceed: Called before each pause; returns `false` to end the wait.
  /// - Throws: The error of `body`, also `SQLITE_BUSY` at the end of the wait.
  func retrying<Value>(
    while proceed: () -> Bool = { true }, _ body: () throws -> Value
  ) throws -> Value {
    var attempts: Int32 = 0
    while true {
      do {
        return try body()
      } catch let error as SQLiteError where error.primaryCode == SQLITE_BUSY {
        guard proceed(), pause(after: attempts) else { throw error }
        attempts += 1
      }
    }
  }

  /// Ends every wait at a deadline, including the current one; call it from any thread.
  func end(within time: Duration) {
    deadline.store(Self.now + Self.nanoseconds(time), ordering: .relaxed)
  }

  /// Installs the policy on a connection, which must not outlive this object; the corresponding C
  /// function is `sqlite3_busy_handler`.
  func install(on connection: OpaquePointer) {
    sqlite3_busy_handler(
      connection,
      { context, attempts in
        guard let context else { return 0 }
        let wait = Unmanaged<LockWait>.fromOpaque(context).takeUnretainedValue()
        return wait.pause(after: attempts) ? 1 : 0
      },
      Unmanaged.passUnretained(self).toOpaque()
    )
  }

  /// Sleeps before the next attempt, longer after each attempt up to a limit.
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
