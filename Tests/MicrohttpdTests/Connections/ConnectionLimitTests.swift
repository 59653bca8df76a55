import HTTPSignals
import Microhttpd
import Signals
import TestSupport
import Testing

/// The limits on open connections.
@Suite struct ConnectionLimitTests {
  @Test func `connections over the limit get 503, and new ones are accepted after one closes`()
    async throws
  {
    try await TestServer.run(
      configure: { $0.connections.maximum = 2 },
      handler: { $0.respond(.text("responded")) },
      test: { server in
        let staying = try server.connect()
        let leaving = try server.connect()
        for client in [staying, leaving] {
          try client.request("GET", "/")
          #expect(try client.readResponse().text == "responded")
        }
        for _ in 0..<100 {
          let newcomer = try server.connect()
          try expectRejection(to: newcomer)
        }
        try leaving.request("GET", "/", fields: ["Connection: close"])
        _ = try leaving.readResponse()
        _ = try leaving.readToEnd()

        // The daemon learns of the close after the client, so the first attempts may be too early.
        var response: Client.Response?
        for _ in 0..<1000 where response == nil {
          let newcomer = try server.connect()
          do throws(TestSystemError) {
            try newcomer.request("GET", "/")
            let first = try newcomer.readResponse()
            if first.status == 200 { response = first }
          } catch {
            continue
          }
        }
        #expect(response?.text == "responded")
        try staying.request("GET", "/")
        #expect(try staying.readResponse().text == "responded")
      }
    )
  }

  @Test func `all connections up to the limit are served, whichever loop the kernel gives them to`()
    async throws
  {
    try await TestServer.run(
      loops: 4,
      configure: { $0.connections.maximum = 100 },
      handler: { $0.respond(.text("responded")) },
      test: { server in
        let clients = try (0..<100).map { _ in try server.connect() }
        for client in clients {
          try client.request("GET", "/")
          #expect(try client.readResponse().status == 200)
        }
        for _ in 0..<20 { try expectRejection(to: try server.connect()) }
      }
    )
  }

  /// Open streams count until they end, also when their sockets have been taken over.
  @Test func `streams count as connections, whichever loop has accepted them`() async throws {
    let log = EventLog(capacity: 64)
    try await TestServer.run(
      loops: 4,
      configure: { $0.connections.maximum = 60 },
      handler: { exchange in
        if exchange.request.path == "/events" {
          exchange.respond(EventStream(log: log, from: log.head).response)
        } else {
          exchange.respond(.text("here"))
        }
      },
      test: { server in
        let streams = try (0..<40).map { _ in try server.connect() }
        for stream in streams {
          try stream.request("GET", "/events")
          #expect(try stream.readHead().status == 200)
        }
        // A stream counts twice until its socket is taken over.
        try eventually { server.daemon.connectionCount == 0 }
        let clients = try (0..<20).map { _ in try server.connect() }
        for client in clients {
          try client.request("GET", "/")
          #expect(try client.readResponse().status == 200)
        }
        for _ in 0..<20 { try expectRejection(to: try server.connect()) }
      }
    )
  }

  /// The record of a fatal `handshake_failure` in TLS (RFC 8446 §5.1, §6.2).
  private static let alert: [UInt8] = [21, 3, 3, 0, 2, 2, 40]

  @Test func `over TLS, a connection over the limit ends with an alert, and counts as a problem`()
    async throws
  {
    let problems = Lock<[String]>([])
    try await TestServer.run(
      over: .secure,
      configure: {
        $0.connections.maximum = 1
        $0.responsePolicy = ResponsePolicyStub(heard: { problem in
          problems.withLock { $0.append(problem.name) }
        })
      },
      handler: { $0.respond(.text("responded")) },
      test: { server in
        let client = try server.connect()
        let other = try Client(port: server.port)
        #expect(try other.readToEnd() == Self.alert)
        #expect(problems.withLock { $0 } == ["too-many-connections"])
        try client.request("GET", "/")
        #expect(try client.readResponse().text == "responded")
      }
    )
  }

  @Test(arguments: [true, false])
  func `the oldest TLS handshakes are given up when too many wait, of one client or in total`(
    _ isLimitPerClient: Bool
  ) async throws {
    try await TestServer.run(
      over: .secure,
      configure: {
        if isLimitPerClient { $0.connections.unlimitedClients = [] }
        $0.connections.requestTimeout = .seconds(3600)
      },
      handler: { $0.respond(.text("responded")) },
      test: { server in
        let limit = isLimitPerClient ? 32 : 128
        let waiting = try (0..<limit + 20).map { _ in
          let client = try Client(port: server.port)
          try client.send("\u{16}\u{3}\u{1}")
          return client
        }
        // The next one, which the loop accepts after them, is served.
        #expect(try server.get("/").text == "responded")
        // It took the place of one, too.
        for client in waiting.prefix(21) { #expect(try client.readToEnd() == Self.alert) }
        try eventually { server.daemon.connectionCount == limit - 1 }
      }
    )
  }

  @Test func `connections are limited per client, and closed ones no longer count`() async throws {
    try await TestServer.run(
      loops: 2,
      configure: {
        $0.connections.maximumPerClient = 3
        $0.connections.unlimitedClients = []
      },
      handler: { $0.respond(.text("responded")) },
      test: { server in
        let clients = try (0..<3).map { _ in try server.connect() }
        for client in clients {
          try client.request("GET", "/")
          #expect(try client.readResponse().text == "responded")
        }
        for _ in 0..<20 { try expectRejection(to: try server.connect()) }
        for client in clients {
          try client.request("GET", "/", fields: ["Connection: close"])
          #expect(try client.readResponse().text == "responded")
          _ = try client.readToEnd()
        }
        var response: Client.Response?
        for _ in 0..<1000 where response?.status != 200 {
          let newcomer = try server.connect()
          do throws(TestSystemError) {
            try newcomer.request("GET", "/")
            response = try newcomer.readResponse()
          } catch {
            continue
          }
        }
        #expect(response?.text == "responded")
      }
    )
  }

  @Test(arguments: [true, false])
  func `clients on this machine and trusted proxies have no connection limit per client`(
    _ isProxy: Bool
  ) async throws {
    try await TestServer.run(
      configure: {
        $0.connections.maximumPerClient = 1
        if isProxy {
          $0.connections.unlimitedClients = []
          $0.trustedProxies = TrustedProxies(ClientNetwork.loopback)
        }
      },
      handler: { $0.respond(.text("responded")) },
      test: { server in
        let clients = try (0..<5).map { _ in try server.connect() }
        for client in clients {
          try client.request("GET", "/")
          #expect(try client.readResponse().text == "responded")
        }
      }
    )
  }

  private func expectRejection(to client: Client) throws {
    let response = try client.readResponse()
    #expect(response.status == 503)
    #expect(response["Content-Type"] == "application/problem+json")
    #expect(response["Retry-After"] == "5")
    #expect(response.text.contains("/problems/too-many-connections"))
    #expect(try client.readToEnd().isEmpty)
  }
}
