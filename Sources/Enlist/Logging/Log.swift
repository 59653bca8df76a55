internal import FoundationEssentials
internal import Glibc
internal import Logging

/// The program's log, written to standard error.
enum Log {
  /// Directs all logging of this process to standard error; called once, at startup.
  static func bootstrap(_ settings: Settings) -> Logger {
    let level = settings.logLevel
    let format = settings.logFormat
    let isColored = LogColor.isWanted(
      isTerminal: isatty(STDERR_FILENO) == 1, environment: ProcessInfo.processInfo.environment)
    let hasPriority = JournalPriority.isWanted(environment: ProcessInfo.processInfo.environment)
    let output = LogOutput.standardError
    let makeHandler: @Sendable (String) -> LineLogHandler = { label in
      LineLogHandler(
        label: label, level: level, format: format, isColored: isColored, hasPriority: hasPriority
      ) { output.write(line: $0) }
    }
    output.describeDrops { count in
      makeHandler("enlist").line(.warning, "\(count) log lines dropped")
    }
    LoggingSystem.bootstrap(makeHandler)
    return Logger(label: "enlist")
  }
}
