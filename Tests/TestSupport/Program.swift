/// A system program that tests run with the service; `Scripts/bootstrap test` installs it.
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
    _ command: String,
    in folder: TemporaryFolder
  ) throws(TestSystemError) -> ChildProcess {
    try ChildProcess(
      in: folder,
      through: ["sh", "-c", "export PATH=$PATH:/usr/sbin; exec \(command)"]
    )
  }
}
