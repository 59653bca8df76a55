internal import Signals
package import Logging

/// A recorder of log events.
package final class LogRecorder: Sendable {
  /// One recorded log event.
  package struct Line: Equatable, Sendable {
    /// The level of the event.
    package var level: Logger.Level
    /// The text of the event.
    package var message: String
    /// The metadata as sorted `key=value` pairs.
    package var metadata: String

    /// Makes an event to compare with recorded ones.
    package init(level: Logger.Level, message: String, metadata: String) {
      self.level = level
      self.message = message
      self.metadata = metadata
    }
  }

  private let recorded = Lock<[Line]>([])

  /// Makes a recorder without events.
  package init() {}

  /// The events recorded so far, in order.
  package var lines: [Line] { recorded.withLock { $0 } }

  /// Makes a logger that records its events; it may log on any thread.
  ///
  /// - Parameter level: The minimum level to record.
  /// - Returns: The logger.
  package func logger(_ level: Logger.Level = .trace) -> Logger {
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
