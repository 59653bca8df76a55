internal import Logging

/// The colors of log levels on a terminal.
enum LogColor {
  /// Returns whether the log should be colored.
  ///
  /// - Parameters:
  ///   - isTerminal: Whether the log goes to a terminal.
  ///   - environment: The environment of the process. `NO_COLOR` (no-color.org) and a terminal that
  ///     is `dumb` switch colors off.
  /// - Returns: Whether a person reads the log who has not switched colors off.
  static func isWanted(isTerminal: Bool, environment: [String: String]) -> Bool {
    isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
  }

  /// Returns the name of a level with its color (ECMA-48 §8.3.117).
  ///
  /// - Parameter level: The level.
  /// - Returns: The name between two control sequences.
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
