import Locks
import Logging

/// A recorder of log events.
final class LogRecorder: Sendable {
  /// One recorded log event.
  struct Line: Equatable, Sendable {
    var level: Logger.Level
    var message: String
    var metadata: String
  }

  private let recorded = Lock<[Line]>([])

  /// The events recorded so far, in order.
  var lines: [Line] { recorded.withLock { $0 } }

  /// Makes a logger that records its events.
  ///
  /// - Parameter level: The minimum level to record.
  /// - Returns: The logger.
  func logger(_ level: Logger.Level = .trace) -> Logger {
    var logger = Logger(label: "test") { _ in
      RecordingLog { line in self.recorded.withLock { $0.append(line) } }
    }
    logger.logLevel = level
    return logger
  }
}

/// A log handler that passes each event to a closure.
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
