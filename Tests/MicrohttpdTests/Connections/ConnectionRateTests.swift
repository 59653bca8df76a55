import HTTPSignals
import TestSupport
import Testing

@testable import Microhttpd

/// The limit on how often a client may connect.
@Suite struct ConnectionRateTests {
  @Test func `limits the connection rate per IPv4 address and per IPv6 /64`() {
    var limits = ConnectionLimits()
    limits.rate = .limited(count: 1, per: .seconds(1))
    let counts = ConnectionCounts(
      limits, except: TrustedProxies(), streams: StreamAdmission(StreamLimits()))
    #expect(counts.accepts(.v6(1, 1), at: .zero))
    #expect(!counts.accepts(.v6(1, 2), at: .milliseconds(999)))
    #expect(counts.accepts(.v6(1, 2), at: .seconds(1)))
    #expect(counts.accepts(.v6(2, 1), at: .zero))
    #expect(counts.accepts(.v4(1), at: .zero))
  }

  @Test(arguments: [TestWire.plain, .secure])
  func `closes connections over the rate limit without a response`(_ wire: TestWire) async throws {
    try await TestServer.run(
      loops: 2,
      over: wire,
      configure: {
        $0.connections.unlimitedClients = []
        $0.connections.rate = .limited(count: 3, per: .seconds(3600))
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
          let client = try Client(port: server.port)
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
      configure: { $0.connections.rate = .limited(count: 1, per: .seconds(3600)) },
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
