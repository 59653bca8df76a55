import Glibc
import HTTPSignals
import Microhttpd
import TestSupport
import Testing

/// Clients that vanish without closing their connection, which only the kernel can detect.
///
/// Detection takes the kernel half a minute, so the tests check the socket options instead.
@Suite struct DeadClientTests {
  @Test(arguments: TestWire.streaming)
  func `the socket of a stream has timeouts for a dead client and a small send buffer`(
    _ wire: TestWire
  ) async throws {
    let log = EventLog(capacity: 8)
    log.append(count: 1)
    try await TestServer.run(
      over: wire,
      handler: { $0.respond(EventStream(log: log, from: log.oldest).response) },
      test: { server in
        let client = try server.connect()
        try client.request("GET", "/")
        #expect(try client.readHead().status == 200)
        #expect(try client.readEvent()?.id == "test-1")
        try expectBounds(of: client, at: server.port)
      }
    )
  }

  @Test func `the socket of a request has timeouts for a dead client and a small send buffer`()
    async throws
  {
    try await TestServer.run(handler: { $0.respond(.text("responded")) }) { server in
      let client = try server.connect()
      try client.request("GET", "/")
      #expect(try client.readResponse().text == "responded")
      try expectBounds(of: client, at: server.port)
    }
  }

  private func expectBounds(of client: Client, at port: UInt16) throws {
    // libmicrohttpd closes its own descriptor of a stream a moment later.
    let end = try eventually {
      let ends = (0..<Int32(getdtablesize())).filter { descriptor in
        LocalSocket.ports(of: descriptor).map { $0.own == port && $0.peer == client.port } == true
      }
      return ends.count == 1 ? ends.first : nil
    }
    #expect(option(IPPROTO_TCP, TCP_USER_TIMEOUT, of: end) == 30_000)
    #expect(option(Int(SOL_SOCKET), SO_KEEPALIVE, of: end) == 1)
    #expect(option(IPPROTO_TCP, TCP_KEEPIDLE, of: end) == 30)
    #expect(option(IPPROTO_TCP, TCP_KEEPINTVL, of: end) == 10)
    // The kernel reports twice the size that was set.
    #expect(option(Int(SOL_SOCKET), SO_SNDBUF, of: end) == 65_536)
    #expect(option(IPPROTO_TCP, TCP_NODELAY, of: end) == 1)
  }

  private func option(_ level: Int, _ name: Int32, of descriptor: Int32) -> Int32? {
    var value: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, Int32(level), name, &value, &size) == 0 else { return nil }
    return value
  }
}
