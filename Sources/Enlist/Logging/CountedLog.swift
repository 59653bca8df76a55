internal import Logging
internal import Platform
internal import Signals

/// A log of events that clients can cause at will: the first of a subject is a line, further ones
/// are a count per minute.
final class CountedLog: Sendable {
  private let logger: Logger
  private let scheduler: any Scheduler
  private let windows = Lock(LogWindows())

  init(_ logger: Logger, on scheduler: any Scheduler) {
    (self.logger, self.scheduler) = (logger, scheduler)
  }

  func count(_ subject: String, _ level: Logger.Level, _ count: Int = 1, metadata: Logger.Metadata?)
  {
    let now = scheduler.now
    guard windows.withLock({ $0.count(subject, level, count, at: now) }) else { return }
    let line = "\(subject): \(count), further ones are reported once a minute"
    logger.log(level: level, "\(line)", metadata: metadata)
    logSummaries(at: now + LogWindows.length)
  }

  /// Logs the counts of the windows that end then, and of those that follow them.
  private func logSummaries(at end: Duration) {
    // The scheduled work retains the log until its last window ends.
    _ = scheduler.schedule(after: LogWindows.length) {
      let summaries = self.windows.withLock { $0.takeSummaries(at: end) }
      for (subject, level, count) in summaries {
        self.logger.log(level: level, "\(subject): \(count) in the last minute")
      }
      if !summaries.isEmpty { self.logSummaries(at: end + LogWindows.length) }
    }
  }
}
