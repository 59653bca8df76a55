internal import ArgumentParser

/// A command that has the settings of the database and of the log.
protocol DatabaseCommand: ParsableCommand {
  var database: DatabaseOptions { get }
  var log: LogOptions { get }
  var file: ConfigurationFileOption { get }
}

extension DatabaseCommand {
  /// Reads the settings, and ignores SIGPIPE, so that a write to a closed pipe is an error.
  ///
  /// - Parameter more: The command's other settings.
  /// - Throws: The exit code, if a setting is invalid.
  func begin(with more: [any SettingOptions] = []) throws(ExitCode) -> Settings {
    ProcessSignals.ignoreWriteSignals()
    return try Settings.read([database, log] + more, file: file)
  }
}
