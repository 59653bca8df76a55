internal import CMicrohttpd  // its header includes the one of `timespec`
internal import Glibc
internal import Signals
internal import Logging
internal import Platform

/// A log of rejections: it logs the first of each kind immediately, then one count per minute.
///
/// So a client that sends millions of invalid requests causes one line per kind and minute, not a
/// full disk. All event loops share one log, which may be used from any thread. It never logs which
/// client was rejected.
final class RejectionLog: Sendable {
  private let logger: Logger
  private let metrics: DaemonMetrics
  private let now: @Sendable () -> Duration
  private let windows = Lock(LogWindows())

  init(
    logger: Logger, metrics: DaemonMetrics = DaemonMetrics(),
    now: @escaping @Sendable () -> Duration = RejectionLog.coarseTime
  ) {
    self.logger = logger
    self.metrics = metrics
    self.now = now
  }

  /// Counts a rejection, and logs it if it opens a window of its kind.
  ///
  /// - Parameter metadata: Metadata for the line of a first rejection; it must not contain data of
  ///   the client.
  func count(_ kind: RejectionKind, metadata: @autoclosure () -> Logger.Metadata? = nil) {
    metrics.count(kind)
    let time = now()
    guard windows.withLock({ $0.count(kind.subject, kind.level, at: time) }) else { return }
    let line: Logger.Message = "\(kind.subject): 1, further ones are reported once a minute"
    logger.log(level: kind.level, line, metadata: metadata())
  }

  /// Logs the counts that are due; call it about once a second, from one loop or from all of them.
  func logSummaries() {
    let time = now()
    for (subject, level, count) in windows.withLock({ $0.takeSummaries(at: time) }) {
      logger.log(level: level, "\(subject): \(Self.grouped(count)) in the last minute")
    }
  }

  /// Formats a number with commas between groups of three digits.
  private static func grouped(_ number: Int) -> String {
    var text = ""
    for (index, digit) in String(number).reversed().enumerated() {
      if index > 0, index.isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return String(text.reversed())
  }

  /// Returns the time of the kernel's last tick; the corresponding C function is `clock_gettime`.
  private static func coarseTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
