internal import ArgumentParser
internal import PostgreSQLStorage

/// The failure of a command: one line on standard error and an exit code.
enum CommandFailure {
  /// Prints the reason for the failure on standard error, in one line.
  ///
  /// The exit codes are those of docs/commands.md.
  static func exit(saying reason: some CustomStringConvertible, code: Int32 = 1) -> ExitCode {
    // Use the log output, so that the line follows earlier log lines. If standard error has no
    // reader, the exit code is the only report.
    LogOutput.standardError.write(
      line: "enlist: \(LineText.escaped("\(reason)"))", isEssential: true)
    LogOutput.standardError.flush()
    return ExitCode(code)
  }

  /// Prints a warning in one line on standard error.
  static func warn(_ warning: String) {
    LogOutput.standardError.write(
      line: "enlist: warning: \(LineText.escaped(warning))", isEssential: true)
    LogOutput.standardError.flush()
  }

  /// Returns the exit code for an error of a command that may need a database server.
  static func serverCode(of error: any Error) -> Int32 {
    (error as? PostgreSQLOpeningError)?.isUnavailable == true ? 69 : 1
  }
}

extension ParsableCommand {
  /// Does the work of a command, and ends the command with the reason if the work fails.
  ///
  /// A reader that closes the pipe early, as `head` does, is not a failure.
  func reportingErrors(_ work: () throws -> Void) throws {
    do {
      try work()
    } catch {
      try Self.report(error)
    }
  }

  func reportingErrors(_ work: () async throws -> Void) async throws {
    do {
      try await work()
    } catch {
      try Self.report(error)
    }
  }

  private static func report(_ error: any Error) throws {
    switch error {
    case OutputError.closed, ExportError.output(.closed): break
    case let exit as ExitCode: throw exit
    case let error as SettingError: throw CommandFailure.exit(saying: error, code: 64)
    default:
      throw CommandFailure.exit(saying: "\(error)", code: CommandFailure.serverCode(of: error))
    }
  }
}
