internal import ArgumentParser

/// A command whose settings are those of the database and of the log.
protocol DatabaseCommand: ParsableCommand {
  var database: DatabaseOptions { get }
  var log: LogOptions { get }
  var file: ConfigurationFileOption { get }
}

extension DatabaseCommand {
  /// Begins the command, for which a write to a closed pipe is an error instead of its end.
  ///
  /// - Throws: The exit code, if a setting is invalid.
  func begin() throws(ExitCode) -> Settings {
    ProcessSignals.ignoreWriteSignals()
    return try Settings.read([database, log], file: file)
  }
}
