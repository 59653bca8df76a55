internal import FoundationEssentials
internal import Glibc
internal import Logging

/// The program's log, written to standard error.
enum Log {
  /// Directs all logging of this process to standard error; called once, at startup.
  static func bootstrap(_ settings: Settings) -> Logger {
    let level = settings.logLevel
    let format = settings.logFormat
    let environment = ProcessInfo.processInfo.environment
    let isColored = LogColor.isWanted(
      isTerminal: isatty(STDERR_FILENO) == 1, environment: environment)
    let hasPriority = JournalPriority.isWanted(environment: environment)
    let output = LogOutput.standardError
    let makeHandler: @Sendable (String) -> LineLogHandler = { label in
      LineLogHandler(
        label: label, level: level, format: format, isColored: isColored, hasPriority: hasPriority
      ) { output.write(line: $0) }
    }
    let handler = makeHandler("enlist")
    output.format(
      dropLine: { handler.line(.warning, "\($0) log lines dropped") },
      lastLine: { line in
        switch format {
        case .json: handler.line(.critical, "\(line)")
        case .text: (hasPriority ? JournalPriority.prefix(of: .critical) : "") + line
        }
      })
    output.start()
    LoggingSystem.bootstrap(makeHandler)
    return Logger(label: "enlist")
  }
}
