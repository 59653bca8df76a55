internal import Logging

/// The program's log: lines on standard error.
enum Log {
  /// Sends everything that is logged in this process to standard error; called once, at the start.
  ///
  /// - Parameter settings: Tell the level and how a line looks.
  /// - Returns: The program's own logger.
  static func bootstrap(_ settings: Settings) -> Logger {
    let level = settings.logLevel
    let format = settings.logFormat
    let output = LogOutput.standardError
    let makeHandler: @Sendable (String) -> LineLogHandler = { label in
      LineLogHandler(label: label, level: level, format: format) { output.write(line: $0) }
    }
    output.describeDrops { count in
      makeHandler("enlist").line(.warning, "\(count) log lines dropped")
    }
    LoggingSystem.bootstrap(makeHandler)
    return Logger(label: "enlist")
  }
}
