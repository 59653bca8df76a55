import HTTPSignals
import TestSupport
import Testing

@testable import Microhttpd

/// The limit on how often a client may connect.
@Suite(.timeLimit(.minutes(15))) struct ConnectionRateTests {
  private static let clients: [ClientAddress] = [.v4(0x0A00_0001), .v6(0x2001_0DB8_0000_0001, 7)]

  @Test(arguments: clients)
  func `accepts a burst of connections, then one per interval`(
    _ client: ClientAddress
  ) {
    let limiter = ConnectionRateLimiter(ConnectionRate(count: 4, per: .seconds(2)))
    for _ in 0..<4 { #expect(limiter.accepts(client, at: .seconds(100))) }
    #expect(!limiter.accepts(client, at: .seconds(100)))
    #expect(!limiter.accepts(client, at: .milliseconds(100_499)))
    #expect(limiter.accepts(client, at: .milliseconds(100_500)))
    #expect(!limiter.accepts(client, at: .milliseconds(100_999)))
    for _ in 0..<4 { #expect(limiter.accepts(client, at: .seconds(103))) }
    #expect(!limiter.accepts(client, at: .seconds(103)))
  }

  @Test func `limits the connection rate per IPv4 address and per IPv6 /64`() {
    let limiter = ConnectionRateLimiter(ConnectionRate(count: 1, per: .seconds(1)))
    #expect(limiter.accepts(.v6(1, 1), at: .zero))
    #expect(!limiter.accepts(.v6(1, 2), at: .zero))
    #expect(limiter.accepts(.v6(2, 1), at: .zero))
    #expect(limiter.accepts(.v4(1), at: .zero))
  }

  @Test func `the connection rate limiter remembers a bounded number of clients`() {
    let limiter = ConnectionRateLimiter(
      ConnectionRate(count: 1, per: .seconds(1)),
      clientCount: 100
    )
    let first = ClientAddress.v4(0xFFFF_FFFF)
    #expect(limiter.accepts(first, at: .zero))
    for address in 0..<49 as Range<UInt32> { #expect(limiter.accepts(.v4(address), at: .zero)) }
    #expect(!limiter.accepts(first, at: .zero))
    for address in 49..<100 as Range<UInt32> { #expect(limiter.accepts(.v4(address), at: .zero)) }
    // After a hundred other clients the first one is forgotten, and the latest ones are not.
    #expect(!limiter.accepts(.v4(99), at: .zero))
    #expect(!limiter.accepts(.v4(60), at: .zero))
    #expect(limiter.accepts(first, at: .zero))
  }

  @Test(arguments: [TestWire.plain, .secure])
  func `closes connections over the rate limit without a response`(_ wire: TestWire) async throws {
    try await TestServer.run(
      loops: 2,
      over: wire,
      configure: {
        $0.connections.unlimitedClients = []
        $0.connections.rate = ConnectionRate(count: 3, per: .seconds(3600))
      },
      handler: { $0.respond(.text("responded")) },
      test: { server in
        // A connection counts when a loop accepts it, so each one is asked before the next opens.
        let accepted = try (0..<3).map { _ in
          let client = try server.connect()
          try client.request("GET", "/")
          #expect(try client.readResponse().text == "responded")
          return client
        }
        for _ in 0..<20 {
          let client = try SocketClient(port: server.port)
          do throws(TestSystemError) {
            #expect(try client.readToEnd().isEmpty)
          } catch .system {}
        }
        for client in accepted {
          try client.request("GET", "/")
          #expect(try client.readResponse().text == "responded")
        }
      }
    )
  }

  @Test func `the connection rate limit does not apply to clients on this machine`() async throws {
    try await TestServer.run(
      configure: { $0.connections.rate = ConnectionRate(count: 1, per: .seconds(3600)) },
      handler: { $0.respond(.text("responded")) },
      test: { server in
        for _ in 0..<20 {
          let response = try server.get("/")
          #expect(response.text == "responded")
        }
      }
    )
  }
}
