import TestSupport
import Testing

/// A system program that tests run with the service; `Scripts/bootstrap test` installs it.
enum Program {
  /// Returns whether the shell finds a program.
  static func isThere(_ name: String) -> Bool {
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
  static func start(
    _ command: String,
    in folder: TemporaryFolder
  ) throws(TestSystemError) -> ChildProcess {
    try ChildProcess(
      in: folder,
      through: ["sh", "-c", "export PATH=$PATH:/usr/sbin; exec \(command)"]
    )
  }
  /// Starts nginx, and waits until its sockets are open.
  ///
  /// - Parameters:
  ///   - configuration: The configuration, which logs notices to `/dev/stdout`.
  ///   - folder: The working directory.
  /// - Returns: The running program.
  /// - Throws: `TestSystemError`, or an error if nginx does not start.
  static func startNginx(
    _ configuration: String,
    in folder: TemporaryFolder
  ) throws -> ChildProcess {
    try folder.write(configuration, to: "nginx.conf")
    let nginx = try start("nginx -p \(folder.path) -c nginx.conf", in: folder)
    // The first log line, which names the event method, comes after the sockets are open.
    let line = try nginx.readLine()
    try #require(line?.contains("event method") == true, "\(nginx.standardError)")
    return nginx
  }
}
