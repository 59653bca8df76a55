import TestSupport

/// Programs of the machine that tests run beside the service; `Scripts/bootstrap test` installs them.
enum Program {
  /// Whether the shell finds a program.
  static func isThere(_ name: String) -> Bool {
    let search = try? ChildProcess(through: ["sh", "-c", "PATH=$PATH:/usr/sbin command -v \(name)"])
    return (try? search?.wait()) == .exit(0)
  }

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - command: What a shell is told.
  ///   - folder: Where it runs.
  /// - Returns: The program, running.
  /// - Throws: `TestSystemError`.
  static func start(
    _ command: String,
    in folder: TemporaryFolder
  ) throws(TestSystemError) -> ChildProcess {
    try ChildProcess(
      in: folder,
      through: ["sh", "-c", "export PATH=$PATH:/usr/sbin; exec \(command)"]
    )
  }
}
