/// A system program that tests run with the service; `Scripts/bootstrap all` installs it.
package enum Program {
  /// Returns whether the shell finds a program.
  package static func isThere(_ name: String) -> Bool {
    let search = try? ChildProcess(through: ["sh", "-c", "PATH=$PATH:/usr/sbin command -v \(name)"])
    return (try? search?.wait()) == .exit(0)
  }

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - command: The shell command.
  ///   - folder: The working directory.
  /// - Returns: The running program.
  /// - Throws: `TestSystemError`.
  package static func start(
    _ command: String, in folder: TemporaryFolder
  ) throws(TestSystemError) -> ChildProcess {
    try ChildProcess(
      in: folder, through: ["sh", "-c", "export PATH=$PATH:/usr/sbin; exec \(command)"])
  }

  /// Runs a program to its end.
  ///
  /// - Parameters:
  ///   - command: The shell command.
  ///   - folder: The working directory.
  ///   - time: The time limit.
  /// - Returns: How it ended, and what it wrote to standard output and standard error.
  /// - Throws: `TestSystemError`.
  package static func run(
    _ command: String, in folder: TemporaryFolder, within time: Duration = .seconds(60)
  ) throws(TestSystemError) -> (end: ChildProcess.End, text: String) {
    let process = try start(command, in: folder)
    let output = String(decoding: try process.readOutput(by: Deadline(after: time)), as: UTF8.self)
    return (try process.wait(), output + process.standardError)
  }
}
