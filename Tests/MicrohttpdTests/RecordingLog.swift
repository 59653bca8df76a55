import Locks
import Logging

/// A log that keeps what is logged.
final class LogRecorder: Sendable {
  /// An event as it was logged.
  struct Line: Equatable, Sendable {
    var level: Logger.Level
    var message: String
    var metadata: String
  }

  private let recorded = Lock<[Line]>([])

  /// What was logged so far.
  var lines: [Line] { recorded.withLock { $0 } }

  /// Makes a logger whose lines are kept.
  ///
  /// - Parameter level: The least severe that is.
  /// - Returns: The logger.
  func logger(_ level: Logger.Level = .trace) -> Logger {
    var logger = Logger(label: "test") { _ in
      RecordingLog { line in self.recorded.withLock { $0.append(line) } }
    }
    logger.logLevel = level
    return logger
  }
}

/// A log whose lines go to a closure.
private struct RecordingLog: LogHandler {
  let record: @Sendable (LogRecorder.Line) -> Void
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let pairs = (event.metadata ?? [:]).map { "\($0)=\($1)" }.sorted().joined(separator: " ")
    record(LogRecorder.Line(level: event.level, message: "\(event.message)", metadata: pairs))
  }
}
