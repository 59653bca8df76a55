internal import Locks
internal import Logging
internal import MailingList

/// A log of events that any client can cause: at most one line per minute for each subject.
final class LimitedLog: Sendable {
  /// The maximum number of remembered subjects.
  private static let maximumCount = 256
  private static let milliseconds: Int64 = 60_000

  private let logger: Logger
  private let lines = Lock<[String: Timestamp]>([:])

  init(_ logger: Logger) {
    self.logger = logger
  }

  /// Logs an event, unless a line about its subject is less than a minute old.
  func log(
    _ level: Logger.Level,
    _ message: Logger.Message,
    about subject: String,
    _ metadata: Logger.Metadata,
    at now: Timestamp
  ) {
    let isDue = lines.withLock { lines in
      let age = lines[subject].map { now.millisecondsSince1970 - $0.millisecondsSince1970 }
      if let age, (0..<Self.milliseconds).contains(age) { return false }
      if lines.count >= Self.maximumCount { lines = [:] }
      lines[subject] = now
      return true
    }
    if isDue { logger.log(level: level, message, metadata: metadata) }
  }
}
