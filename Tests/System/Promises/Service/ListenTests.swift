import Glibc
import TestSupport
import Testing

/// Tests of listening on Unix domain sockets, systemd's socket, and both address families.
@Suite struct ListenTests {
  private let folder: Folder
  /// The path of a Unix socket.
  private let path: String

  init() throws {
    folder = try Folder()
    path = folder("enlist.sock")
  }

  private func serve(
    _ listen: String, through launcher: [String] = []
  ) throws -> Child {
    try Child(
      launcher + ["enlist", "serve", "--listen", listen, "--drain", "0s"], in: folder)
  }

  private func checkHealth(_ listen: String) throws -> Child.Outcome {
    try Child.run(["enlist", "healthcheck", "--listen", listen], in: folder)
  }

  // MARK: Unix sockets

  @Test func `a Unix socket file exists from startup to exit`() throws {
    let service = try serve("unix:\(path)")
    let line = try service.nextLine()
    #expect(line == "listening on unix:\(path)")
    let client = try Client(path: path)
    try client.request(
      "POST", "/subscribers", fields: ["Content-Type: application/x-www-form-urlencoded"],
      body: "email=a@example.org")
    try client.readResponse().expect(202)
    try checkHealth("unix:\(path)").expect(0)
    let end = try service.wait(after: SIGTERM)
    #expect(end == .exit(0))
    #expect(access(path, F_OK) != 0)
    try checkHealth("unix:\(path)").expect(1)
  }

  @Test func `a stale socket file of a killed service is replaced`() throws {
    let killed = try serve("unix:\(path)")
    _ = try killed.nextLine()
    try killed.wait(after: SIGKILL)
    #expect(access(path, F_OK) == 0)
    let service = try serve("unix:\(path)")
    let line = try service.nextLine()
    #expect(line == "listening on unix:\(path)")
    let second = try serve("unix:\(path)")
    let end = try second.wait()
    #expect(end == .exit(1))
    let reason = "Cannot listen on unix:\(path): Address already in use."
    #expect(second.errors.contains(reason), "\(second.errors)")
    try checkHealth("unix:\(path)").expect(0)
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
    let service = try serve("systemd", through: Self.activator + ["1"])
    let client = try Client(port: service.port())
    try client.request("GET", "/readyz")
    try client.readResponse().expect(200)
    let end = try service.wait(after: SIGTERM)
    #expect(end == .exit(0))
  }

  @Test(
    arguments: [
      ([], "no socket was passed"), (activator + ["2"], "2 sockets were passed, expected one"),
    ]
  )
  func `the service starts only with exactly one socket from systemd`(
    _ launcher: [String], _ reason: String
  ) throws {
    let service = try serve("systemd", through: launcher)
    let end = try service.wait()
    #expect(end == .exit(1))
    #expect(service.errors.contains(reason), "\(service.errors)")
  }

  // MARK: Address families

  @Test func `the unspecified IPv6 address also accepts IPv4 connections`() throws {
    let service = try Enlist(["--listen", "[::]:0"])
    try service.get("/livez").expect(200)
    try checkHealth("[::]:\(service.port)").expect(0)
    try checkHealth("127.0.0.1:\(service.port)").expect(0)
  }
}
