internal import ArgumentParser

/// How a command ends when it cannot do what it was asked to.
enum CommandFailure {
  /// Says why on standard error, in one line.
  ///
  /// - Parameters:
  ///   - reason: The line, after the name of the program.
  ///   - code: The exit code: 64 for a wrong setting (`EX_USAGE`), otherwise 1.
  /// - Returns: What to throw.
  static func exit(saying reason: some CustomStringConvertible, code: Int32 = 1) -> ExitCode {
    // Behind what was logged before. Without a reader the exit code has to do.
    LogOutput.standardError.write(
      line: "enlist: \(LineText.escaped("\(reason)"))",
      isEssential: true
    )
    LogOutput.standardError.flush()
    return ExitCode(code)
  }
}
