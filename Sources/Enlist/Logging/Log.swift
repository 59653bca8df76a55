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
    LoggingSystem.bootstrap { label in
      LineLogHandler(label: label, level: level, format: format) { line in
        // A log that cannot be written has nowhere to complain.
        try? OutputStream.standardError.write(line: line)
      }
    }
    return Logger(label: "enlist")
  }
}
