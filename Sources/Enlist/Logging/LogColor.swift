internal import Logging

/// The colors of log levels on a terminal.
enum LogColor {
  static func isWanted(isTerminal: Bool, environment: [String: String]) -> Bool {
    isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
  }

  /// Returns the name of a level with its color (ECMA-48 §8.3.117).
  static func colored(_ level: Logger.Level) -> String {
    "\u{1B}[\(code(of: level))m\(level)\u{1B}[0m"
  }

  private static func code(of level: Logger.Level) -> String {
    switch level {
    case .trace, .debug: "2"
    case .info: "32"
    case .notice: "36"
    case .warning: "33"
    case .error: "31"
    case .critical: "1;31"
    }
  }
}
