internal import Glibc
internal import Logging

/// The priorities of lines in the journal of systemd (`sd-daemon(3)`).
enum JournalPriority {
  /// Returns whether standard error is the journal that `JOURNAL_STREAM` names by its device and
  /// inode; a child may have inherited the variable with another standard error.
  static func isWanted(environment: [String: String], descriptor: Int32 = STDERR_FILENO) -> Bool {
    guard let stream = environment["JOURNAL_STREAM"] else { return false }
    var status = stat()
    return fstat(descriptor, &status) == 0 && stream == "\(status.st_dev):\(status.st_ino)"
  }

  static func prefix(of level: Logger.Level) -> String {
    switch level {
    case .critical, .error: "<3>"
    case .warning: "<4>"
    case .notice, .info: "<6>"
    case .debug, .trace: "<7>"
    }
  }
}
