import Glibc
import TestSupport
import Testing

/// Tests of the notifications to systemd.
@Suite struct SystemdNotifyTests {
  /// Expects the notifications of a service that starts, is reloaded three times, and stops.
  private func expectNotifications(
    _ socket: NotifySocket, of certificate: TestCertificate? = nil
  ) throws {
    let service = try Enlist(
      ["--drain", "1s"], certificate: certificate, environment: ["NOTIFY_SOCKET": socket.name])
    var message = try socket.read()
    #expect(message == ["READY=1"])
    for _ in 0..<3 {
      let before = Self.microseconds
      service.process.send(SIGHUP)
      message = try socket.read()
      #expect(message.first == "RELOADING=1", "\(message)")
      let time = try #require(message.last?.wholeMatch(of: /MONOTONIC_USEC=(\d+)/)?.1)
      #expect((before...Self.microseconds).contains(try #require(Int(time))))
      message = try socket.read()
      #expect(message == ["READY=1"])
    }
    service.process.send(SIGTERM)
    message = try socket.read()
    #expect(message == ["STOPPING=1"])
    let end = try service.process.wait()
    #expect(end == .exit(0))
  }

  private static var microseconds: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
  }

  @Test func `systemd is notified of startup, reloads and shutdown`() throws {
    let folder = try Folder()
    try expectNotifications(NotifySocket(folder("notify")), of: TestCertificate())
  }

  @Test func `notifications reach a socket in the abstract namespace`() throws {
    let name = "@enlist-test-\(UInt64.random(in: 0...UInt64.max))"
    try expectNotifications(NotifySocket(name), of: TestCertificate())
  }

  @Test func `systemd is notified of a reload without TLS`() throws {
    let folder = try Folder()
    try expectNotifications(NotifySocket(folder("notify")))
  }

  @Test(arguments: ["/nowhere/notify", "relative", "", String(repeating: "/x", count: 100)])
  func `an unreachable notification socket delays nothing`(_ name: String) throws {
    let service = try Enlist(environment: ["NOTIFY_SOCKET": name])
    let end = try service.process.wait(after: SIGTERM)
    #expect(end == .exit(0))
  }
}
