import Glibc
import TestSupport
import Testing

/// Tests of listening on Unix domain sockets, systemd's socket, and both address families.
@Suite struct ListenTests {
  private func serve(
    _ arguments: [String], in folder: TemporaryFolder, through launcher: [String] = []
  ) throws -> ChildProcess {
    try ChildProcess("enlist", ["serve"] + arguments, in: folder, through: launcher)
  }

  private func checkHealth(
    _ arguments: [String], in folder: TemporaryFolder
  ) throws
    -> ChildProcess.End
  {
    try ChildProcess("enlist", ["healthcheck"] + arguments, in: folder).wait()
  }

  // MARK: Unix sockets

  @Test func `a Unix socket file exists from startup to exit`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path(of: "enlist.sock")
    let service = try serve(["--listen", "unix:\(path)", "--drain", "0s"], in: folder)
    #expect(try service.readLine() == "listening on unix:\(path)")
    let client = try SocketClient(path: path)
    try client.request(
      "POST", "/subscribers", fields: ["Content-Type: application/x-www-form-urlencoded"],
      body: "email=a@example.org")
    #expect(try client.readResponse().status == 202)
    #expect(try checkHealth(["--listen", "unix:\(path)"], in: folder) == .exit(0))
    service.send(signal: SIGTERM)
    #expect(try service.wait() == .exit(0))
    #expect(access(path, F_OK) != 0)
    #expect(try checkHealth(["--listen", "unix:\(path)"], in: folder) == .exit(1))
  }

  @Test func `a stale socket file of a killed service is replaced`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path(of: "enlist.sock")
    let killed = try serve(["--listen", "unix:\(path)"], in: folder)
    _ = try killed.readLine()
    killed.send(signal: SIGKILL)
    #expect(try killed.wait() == .signal(SIGKILL))
    #expect(access(path, F_OK) == 0)
    let service = try serve(["--listen", "unix:\(path)"], in: folder)
    #expect(try service.readLine() == "listening on unix:\(path)")
    let second = try serve(["--listen", "unix:\(path)"], in: folder)
    #expect(try second.wait() == .exit(1))
    let reason = "Cannot listen on unix:\(path): Address already in use."
    #expect(second.standardError.contains(reason))
    #expect(try checkHealth(["--listen", "unix:\(path)"], in: folder) == .exit(0))
  }

  // MARK: systemd

  /// A program that opens a socket like systemd and then executes the service.
  private static let activator = [
    "perl", "-e",
    """
    use Socket; use POSIX; $^F = 9;
    socket(my $s, PF_INET, SOCK_STREAM, 0) or die $!;
    bind($s, sockaddr_in(0, INADDR_LOOPBACK)) or die $!;
    listen($s, 16) or die $!;
    POSIX::dup2(fileno($s), 3);
    ($ENV{LISTEN_PID}, $ENV{LISTEN_FDS}) = ($$, shift @ARGV);
    exec @ARGV or die $!;
    """,
  ]

  @Test func `the service uses systemd's socket and reports it`() throws {
    let folder = try TemporaryFolder()
    let service = try serve(
      ["--listen", "systemd", "--drain", "0s"], in: folder, through: Self.activator + ["1"])
    let port = try service.readPort()
    #expect(port > 0)
    let client = try SocketClient(port: port)
    try client.request("GET", "/readyz")
    #expect(try client.readResponse().status == 200)
    service.send(signal: SIGTERM)
    #expect(try service.wait() == .exit(0))
  }

  @Test func `the service starts only with exactly one socket from systemd`() throws {
    let folder = try TemporaryFolder()
    let none = try serve(["--listen", "systemd"], in: folder)
    #expect(try none.wait() == .exit(1))
    #expect(none.standardError.contains("no socket was passed"))
    let two = try serve(["--listen", "systemd"], in: folder, through: Self.activator + ["2"])
    #expect(try two.wait() == .exit(1))
    #expect(two.standardError.contains("2 sockets were passed, expected one"))
    #expect(try checkHealth(["--listen", "systemd"], in: folder) == .exit(64))
  }

  // MARK: Address families

  @Test func `the unspecified IPv6 address also accepts IPv4 connections`() throws {
    let service = try RunningService(["--listen", "[::]:0"])
    #expect(try service.request("GET", "/livez").status == 200)
    #expect(try checkHealth(["--listen", "[::]:\(service.port)"], in: service.folder) == .exit(0))
    #expect(
      try checkHealth(["--listen", "127.0.0.1:\(service.port)"], in: service.folder) == .exit(0))
  }
}
