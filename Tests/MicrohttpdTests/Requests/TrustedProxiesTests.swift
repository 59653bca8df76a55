import HTTPSignals
import Signals
import Microhttpd
import TestSupport
import Testing

/// The client address that trusted proxies report.
@Suite struct TrustedProxiesTests {
  private func client(trusting networks: [String], _ fields: [String]) async throws -> ClientAddress
  {
    let clients = Lock<[ClientAddress]>([])
    try await TestServer.run(
      configure: { $0.trustedProxies = TrustedProxies(networks.compactMap { ClientNetwork($0) }) },
      handler: { exchange in
        clients.withLock { $0.append(exchange.request.client) }
        exchange.respond(.text("responded"))
      },
      test: { server in
        let client = try server.connect()
        try client.request("GET", "/", fields: fields)
        #expect(try client.readResponse().text == "responded")
      }
    )
    return try #require(clients.withLock { $0 }.first)
  }

  @Test func `a trusted proxy determines the client address`() async throws {
    let fields = ["X-Forwarded-For: 198.51.100.1, 203.0.113.9"]
    #expect(try await client(trusting: ["127.0.0.0/8"], fields) == .v4(0xCB00_7109))
    let forwarded = ["Forwarded: for=\"[2001:db8::1]:4711\";proto=https"]
    let six = ClientAddress.v6(0x2001_0DB8_0000_0000, 1)
    #expect(try await client(trusting: ["127.0.0.0/8"], forwarded) == six)
  }

  @Test func `an untrusted peer cannot change the client address`() async throws {
    let fields = ["X-Forwarded-For: 203.0.113.9", "Forwarded: for=203.0.113.9"]
    #expect(try await client(trusting: [], fields) == .v4(0x7F00_0001))
    #expect(try await client(trusting: ["10.0.0.0/8"], fields) == .v4(0x7F00_0001))
  }
}
