import Glibc
import TestSupport
import Testing

/// Tests of the notifications to systemd.
@Suite struct SystemdNotifyTests {
  private func check(_ socket: NotifySocket) throws {
    let service = try SecureService(
      try TestCertificate(), ["--drain", "1s"], environment: ["NOTIFY_SOCKET": socket.name])
    #expect(try socket.read() == ["READY=1"])
    for _ in 0..<3 {
      let before = microseconds
      service.process.send(signal: SIGHUP)
      let reloading = try socket.read()
      #expect(reloading.first == "RELOADING=1")
      let time = try #require(reloading.last?.wholeMatch(of: /MONOTONIC_USEC=(\d+)/)?.1)
      #expect((before...microseconds).contains(try #require(Int(time))))
      #expect(try socket.read() == ["READY=1"])
    }
    service.process.send(signal: SIGTERM)
    #expect(try socket.read() == ["STOPPING=1"])
    #expect(try service.process.wait() == .exit(0))
  }

  private var microseconds: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
  }

  @Test func `systemd is notified of startup, reloads and shutdown`() throws {
    let folder = try TemporaryFolder()
    try check(NotifySocket(folder.path(of: "notify")))
  }

  @Test func `notifications reach a socket in the abstract namespace`() throws {
    try check(NotifySocket("@enlist-test-\(UInt64.random(in: 0...UInt64.max))"))
  }

  @Test func `systemd is notified of a reload without TLS`() throws {
    let folder = try TemporaryFolder()
    let socket = try NotifySocket(folder.path(of: "notify"))
    let process = try ChildProcess(
      "enlist", ["serve", "--listen", "127.0.0.1:0"], environment: ["NOTIFY_SOCKET": socket.name],
      in: folder)
    #expect(try socket.read() == ["READY=1"])
    process.send(signal: SIGHUP)
    #expect(try socket.read().first == "RELOADING=1")
    #expect(try socket.read() == ["READY=1"])
    process.send(signal: SIGTERM)
    #expect(try socket.read() == ["STOPPING=1"])
    #expect(try process.wait() == .exit(0))
  }

  @Test(arguments: ["/nowhere/notify", "relative", "", String(repeating: "/x", count: 100)])
  func `an unreachable notification socket delays nothing`(_ name: String) throws {
    let folder = try TemporaryFolder()
    let process = try ChildProcess(
      "enlist", ["serve", "--listen", "127.0.0.1:0"], environment: ["NOTIFY_SOCKET": name],
      in: folder)
    _ = try process.readPort()
    process.send(signal: SIGTERM)
    #expect(try process.wait() == .exit(0))
  }
}
