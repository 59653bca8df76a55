internal import ArgumentParser
internal import SQLiteStorage

/// A command that processes the whole database and prints a summary.
protocol MaintenanceCommand: ParsableCommand {
  /// Performs the command, and returns the lines of its summary.
  func perform(_ settings: Settings) throws -> [String]
}

extension MaintenanceCommand {
  func run() throws {
    let settings = try readSettings()
    do {
      for line in try perform(settings) {
        try OutputStream.standardOutput.write(line: line)
      }
    } catch OutputError.closed {
      // The summary has no reader, but the command has succeeded, and the exit code reports that.
    } catch {
      throw CommandFailure.exit(saying: error)
    }
  }

  /// Copies a database, shows the progress, and ends the copy on SIGINT or SIGTERM.
  ///
  /// - Parameter copy: Performs the copy; it calls its argument about every millisecond, and ends
  ///   when that returns `false`.
  func showProgress<Value>(
    _ copy: (_ proceed: @escaping (CopyProgress) -> Bool) throws -> Value
  ) rethrows -> Value {
    let bar = ProgressBar()
    defer { bar.erase() }
    return try copy { progress in
      bar.draw(progress.copiedBytes, of: progress.totalBytes)
      return Interruption.mayProceed
    }
  }
}
