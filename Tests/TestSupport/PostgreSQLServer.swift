internal import Foundation
internal import Glibc

/// A PostgreSQL server of its own, on a Unix socket in a temporary folder, which ends with its last
/// owner, and also with the process of the tests.
///
/// It runs as an ordinary user; for a test that runs as root, as `nobody`.
package final class PostgreSQLServer: Sendable {
  /// The folder with the programs of the newest version on this machine, if there is one.
  private static let programs: String? = {
    let parent = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
    return versions.compactMap { Int($0) }.filter { $0 >= 14 }.sorted(by: >)
      .map { "\(parent)/\($0)/bin" }
      .first { FileManager.default.isExecutableFile(atPath: "\($0)/initdb") }
  }()

  /// Whether a server of version 14 or later is installed.
  package static let isInstalled = programs != nil

  /// The server that the tests of a process share, each with a database of its own.
  package static let shared: PostgreSQLServer? = try? PostgreSQLServer()

  /// The name of the role that owns everything.
  package static let role = "enlist"

  private let folder: TemporaryFolder
  private let process: OwnedProcess

  /// Creates a cluster, and starts its server.
  ///
  /// - Parameter settings: Settings of the server, such as `["fsync": "off"]`.
  /// - Throws: `TestSystemError` if the server does not start.
  package init(_ settings: [String: String] = [:]) throws(TestSystemError) {
    guard let programs = Self.programs else { throw .malformed("PostgreSQL is not installed") }
    folder = try TemporaryFolder()
    try Self.giveAway(folder)
    let data = folder.path(of: "data")
    try Self.run(
      Self.asUser + [
        "\(programs)/initdb", "--pgdata=\(data)", "--auth=trust", "--username=\(Self.role)",
        "--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions",
      ]
    )
    var words = ["\(programs)/postgres", "-D", data]
    let needed = [
      "listen_addresses": "", "unix_socket_directories": folder.path, "shared_buffers": "16MB",
      "max_connections": "60",
    ]
    for (name, value) in needed.merging(settings, uniquingKeysWith: { $1 }) {
      words += ["-c", "\(name)=\(value)"]
    }
    process = OwnedProcess(try Self.start(Self.asUser + words, in: folder.path))
    let lock = "\(data)/postmaster.pid"
    do {
      try Deadline(after: .seconds(60)).wait {
        // The eighth line says `ready`.
        let lines = try? String(contentsOfFile: lock, encoding: .utf8).split(
          separator: "\n",
          omittingEmptySubsequences: false
        )
        return lines.map { $0.count > 7 && $0[7].hasPrefix("ready") } ?? false
      }
    } catch {
      throw .malformed("PostgreSQL did not start: \(process.process.standardError)")
    }
  }

  /// Returns the URL of a database.
  ///
  /// - Parameter database: The name of the database.
  /// - Returns: The URL.
  package func url(of database: String) -> String {
    let host = folder.path.replacing("/", with: "%2F")
    return "postgres://\(Self.role)@\(host)/\(database)"
  }

  /// Creates a database.
  ///
  /// - Returns: Its URL.
  /// - Throws: `TestSystemError`.
  package func newDatabase() throws(TestSystemError) -> String {
    let name = "test_\(UInt64.random(in: 0...UInt64.max))"
    _ = try query("CREATE DATABASE \(name)", url(of: "postgres"))
    return url(of: name)
  }

  /// Executes a statement with the server's own client.
  ///
  /// - Parameters:
  ///   - sql: The statement.
  ///   - url: The URL of the database.
  /// - Returns: The values of the result, separated by `|` and LF.
  /// - Throws: `TestSystemError` if it fails.
  package func query(_ sql: String, _ url: String) throws(TestSystemError) -> String {
    let process = try ChildProcess(
      through: [
        "sh", "-c", "exec \"$0\" --no-psqlrc -v ON_ERROR_STOP=1 -Atc \"$1\" \"$2\"",
        "\(Self.programs ?? "")/psql", sql, url,
      ]
    )
    let deadline = Deadline(after: .seconds(60))
    let output = String(decoding: try process.readOutput(by: deadline), as: UTF8.self)
    guard try process.wait(by: deadline) == .exit(0) else {
      throw .malformed(process.standardError)
    }
    return output.trimmingCharacters(in: .newlines)
  }

  // MARK: Helpers

  /// A process that only the server uses, for stopping it.
  // @unchecked Sendable because it is used while the server is created and when it is released.
  private final class OwnedProcess: @unchecked Sendable {
    let process: ChildProcess

    init(_ process: ChildProcess) {
      self.process = process
    }

    deinit {
      // The shell stops the server, and ends after it.
      process.send(signal: SIGTERM)
      _ = try? process.wait(by: Deadline(after: .seconds(30)))
    }
  }

  /// A program that gives up the rights of root, which PostgreSQL rejects.
  private static var asUser: [String] {
    geteuid() == 0
      ? ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "--"] : []
  }

  /// Lets the server's user write to a folder.
  private static func giveAway(_ folder: TemporaryFolder) throws(TestSystemError) {
    guard geteuid() == 0 else { return }
    guard let user = getpwnam("nobody") else { throw .last("getpwnam") }
    guard chown(folder.path, user.pointee.pw_uid, user.pointee.pw_gid) == 0 else {
      throw .last("chown")
    }
  }

  private static func run(_ words: [String]) throws(TestSystemError) {
    let process = try ChildProcess(through: ["sh", "-c", "cd / && exec \(quoted(words))"])
    guard try process.wait(by: Deadline(after: .seconds(60))) == .exit(0) else {
      throw .malformed("\(words): \(process.standardError)")
    }
  }

  /// Starts a server under a shell that stops it on SIGTERM, and when the tests have ended, and
  /// then removes its folder.
  private static func start(
    _ words: [String],
    in folder: String
  ) throws(TestSystemError) -> ChildProcess {
    try ChildProcess(
      through: [
        "sh", "-c",
        """
        cd /
        \(quoted(words)) & server=$!
        trap 'kill -INT $server' TERM
        while kill -0 $PPID 2>/dev/null && kill -0 $server 2>/dev/null; do
          sleep 0.2 & wait $!
        done
        kill -QUIT $server 2>/dev/null
        wait $server
        rm -rf '\(folder)'
        """,
      ]
    )
  }

  private static func quoted(_ words: [String]) -> String {
    words.map { "'\($0)'" }.joined(separator: " ")
  }
}
