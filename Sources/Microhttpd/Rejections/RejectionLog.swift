internal import CMicrohttpd  // its header includes the one of `timespec`
internal import Glibc
internal import Locks
internal import Logging

/// The log of what strangers can cause: the first of each kind at once, then one count a minute.
///
/// So whoever sends millions of bad requests gets a few lines an hour, not a full disk. There is one
/// for all event loops, and it may be used from any thread. It never logs whose rejection it was.
final class RejectionLog: Sendable {
  private let logger: Logger
  private let now: @Sendable () -> Duration
  private let windows = Lock(RejectionWindows())

  /// Makes a log of nothing.
  ///
  /// - Parameters:
  ///   - logger: Where the lines go.
  ///   - now: A clock that never goes back.
  init(logger: Logger, now: @escaping @Sendable () -> Duration = RejectionLog.coarseTime) {
    self.logger = logger
    self.now = now
  }

  /// Counts a rejection; logs it if it is the first of its kind in a while.
  ///
  /// - Parameters:
  ///   - kind: Which.
  ///   - metadata: What the line of a first one says beside; nothing of the client's.
  func count(_ kind: RejectionKind, metadata: @autoclosure () -> Logger.Metadata? = nil) {
    let time = now()
    guard windows.withLock({ $0.count(kind, at: time) }) else { return }
    let line: Logger.Message = "\(kind.subject): 1, more are counted once a minute"
    logger.log(level: kind.level, line, metadata: metadata())
  }

  /// Logs the counts that are due; to be called about once a second, by one loop or by all.
  func logSummaries() {
    let time = now()
    for summary in windows.withLock({ $0.takeSummaries(at: time) }) {
      let count = Self.grouped(summary.count)
      logger.log(
        level: summary.kind.level,
        "\(summary.kind.subject): \(count) in the last minute"
      )
    }
  }

  /// A number with commas between groups of three digits.
  private static func grouped(_ number: Int) -> String {
    var text = ""
    for (index, digit) in String(number).reversed().enumerated() {
      if index > 0, index.isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return String(text.reversed())
  }

  /// The kernel's time of its last tick; the corresponding C function is `clock_gettime`.
  private static func coarseTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
