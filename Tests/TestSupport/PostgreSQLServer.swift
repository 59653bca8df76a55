internal import Foundation
internal import Glibc
internal import Signals

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

  /// The port on 127.0.0.1, if the server listens there, which is also part of the socket's name.
  package let port: UInt16
  private let folder: Folder
  /// The command that starts the server.
  private let words: [String]
  private let process = Lock<OwnedProcess?>(nil)

  /// Creates a cluster, and starts its server.
  ///
  /// - Parameters:
  ///   - settings: Settings of the server, such as `["fsync": "off"]`.
  ///   - files: The content of files that only the server reads, by their names; a setting names
  ///     one as `../NAME`.
  ///   - listens: Whether it also listens on a port of 127.0.0.1.
  package convenience init(
    _ settings: [String: String] = [:], files: [String: [UInt8]] = [:], listens: Bool = false
  ) throws {
    try self.init(settings, files: files, listens: listens) { data in
      [
        "initdb", "--pgdata=\(data)", "--auth=trust", "--username=\(Self.role)",
        "--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions",
      ]
    }
  }

  /// Copies the cluster of another server, and starts a standby that follows it.
  ///
  /// - Parameters:
  ///   - primary: The other server, which is running.
  ///   - listens: Whether it also listens on a port of 127.0.0.1.
  package convenience init(
    standbyOf primary: PostgreSQLServer, listens: Bool = false
  ) throws {
    try self.init([:], files: [:], listens: listens) { data in
      [
        "pg_basebackup", "--pgdata=\(data)", "--write-recovery-conf", "--checkpoint=fast",
        "--no-sync",
        "--dbname=host=\(primary.folder.path) port=\(primary.port) user=\(Self.role)",
      ]
    }
  }

  private init(
    _ settings: [String: String], files: [String: [UInt8]], listens: Bool,
    makingCluster command: (_ data: String) -> [String]
  ) throws {
    guard let programs = Self.programs else {
      throw TestSystemError.malformed("PostgreSQL is not installed")
    }
    port = listens ? Self.makePort() : 5432
    folder = try Folder()
    try Self.giveAway(folder.path)
    for (name, bytes) in files {
      let path = folder(name)
      guard (try? Data(bytes).write(to: URL(filePath: path))) != nil, chmod(path, 0o600) == 0
      else { throw TestSystemError.last("write") }
      try Self.giveAway(path)
    }
    let data = folder("data")
    var making = command(data)
    making[0] = "\(programs)/\(making[0])"
    try Self.run(Self.asUser + making)
    var words = Self.asUser + ["\(programs)/postgres", "-D", data]
    let needed = [
      "listen_addresses": listens ? "127.0.0.1" : "", "port": "\(port)",
      "unix_socket_directories": folder.path, "shared_buffers": "16MB", "max_connections": "200",
    ]
    for (name, value) in needed.merging(settings, uniquingKeysWith: { $1 }) {
      // The server would look for some files in its working directory.
      let value = value.hasPrefix("../") ? folder(String(value.dropFirst(3))) : value
      words += ["-c", "\(name)=\(value)"]
    }
    self.words = words
    try start()
  }

  deinit {
    // Before the folder is removed.
    process.withLock { $0 = nil }
  }

  /// Returns the URL of a database.
  ///
  /// - Parameter database: The name of the database.
  /// - Returns: The URL.
  package func url(of database: String) -> String {
    Self.url(of: database, in: folder.path, port: port)
  }

  /// Returns the URL of a database at a Unix socket.
  ///
  /// - Parameters:
  ///   - database: The name of the database.
  ///   - folder: The folder of the socket.
  ///   - port: The number in the name of the socket.
  /// - Returns: The URL.
  package static func url(of database: String, in folder: String, port: UInt16) -> String {
    "postgres://\(role)@\(folder.replacing("/", with: "%2F")):\(port)/\(database)"
  }

  /// The folder of the Unix socket.
  package var socketFolder: String { folder.path }

  /// Where a pooler finds the server, as a libpq connection string.
  package var location: String { "host=\(folder.path) port=\(port) user=\(Self.role)" }

  // MARK: Starting and stopping

  /// Starts the server, unless it is running, and waits until it accepts connections.
  package func start() throws {
    guard process.withLock({ $0 == nil }) else { return }
    let started = OwnedProcess(try Self.start(words, in: folder.path))
    do {
      try eventually(within: .seconds(60)) {
        guard let lines = lockFile, lines.count > 7, let id = Int32(lines[0]) else { return false }
        // The file of a server that was killed says `ready`, too.
        return lines[7].hasPrefix("ready") && kill(id, 0) == 0
      }
    } catch {
      throw TestSystemError.malformed("PostgreSQL did not start: \(started.process.errors)")
    }
    process.withLock { $0 = started }
  }

  /// Stops the server, and waits until all of its processes have ended.
  ///
  /// - Parameter signal: `SIGINT` ends the sessions, `SIGQUIT` ends everything at once, and
  ///   `SIGKILL` is a crash.
  package func stop(_ signal: Int32 = SIGINT) throws {
    let running = process.withLock { process in
      defer { process = nil }
      return process
    }
    guard let running, let id = lockFile?.first.flatMap({ Int32($0) }) else { return }
    kill(id, signal)
    try running.process.wait(within: .seconds(30))
  }

  /// The lines of the file in which the server describes itself.
  private var lockFile: [Substring]? {
    try? folder.read("data/postmaster.pid").split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// Creates a database.
  ///
  /// - Returns: Its URL.
  package func newDatabase() throws -> String {
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
  package func query(_ sql: String, _ url: String) throws -> String {
    let outcome = try Child.run([
      "\(Self.programs ?? "")/psql", "--no-psqlrc", "-v", "ON_ERROR_STOP=1", "-Atc", sql, url,
    ])
    guard outcome.end == .exit(0) else { throw TestSystemError.malformed(outcome.errors) }
    return outcome.output.trimmingCharacters(in: .newlines)
  }

  // MARK: Helpers

  /// A process that only the server uses, for stopping it.
  // @unchecked Sendable because it is used by the one that starts, stops or releases the server.
  private final class OwnedProcess: @unchecked Sendable {
    let process: Child

    init(_ process: Child) {
      self.process = process
    }

    deinit {
      // The shell stops the server, and ends after it.
      _ = try? process.wait(after: SIGTERM)
    }
  }

  /// The last port that was given to a server; the system gives those from 32768 to others.
  private static let lastPort = Lock(UInt16.random(in: 10_000..<30_000))

  private static func makePort() -> UInt16 {
    lastPort.withLock { port in
      port += 1
      return port
    }
  }

  /// A program that gives up the rights of root, which PostgreSQL rejects.
  package static var asUser: [String] {
    geteuid() == 0
      ? ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "--"] : []
  }

  /// Gives a file or a folder to the user that ``asUser`` becomes.
  ///
  /// - Parameter path: The path of the file or folder.
  package static func giveAway(_ path: String) throws {
    guard geteuid() == 0 else { return }
    guard let user = getpwnam("nobody") else { throw TestSystemError.last("getpwnam") }
    guard chown(path, user.pointee.pw_uid, user.pointee.pw_gid) == 0 else {
      throw TestSystemError.last("chown")
    }
  }

  private static func run(_ words: [String]) throws {
    let outcome = try Child.run(["env", "--chdir", "/"] + words)
    guard outcome.end == .exit(0) else {
      throw TestSystemError.malformed("\(words): \(outcome.errors)")
    }
  }

  /// Starts a server under a shell that stops it on SIGTERM and when the tests have ended, and that
  /// removes its folder in the latter case.
  private static func start(
    _ words: [String], in folder: String
  ) throws -> Child {
    try Child(
      [
        "sh", "-c",
        """
        cd /
        "$@" & server=$!
        trap 'kill -INT $server' TERM
        while kill -0 $PPID 2>/dev/null && kill -0 $server 2>/dev/null; do
          sleep 0.2 & wait $!
        done
        kill -QUIT $server 2>/dev/null
        wait $server
        kill -0 $PPID 2>/dev/null || rm -rf "$0"
        """, folder,
      ] + words)
  }
}
