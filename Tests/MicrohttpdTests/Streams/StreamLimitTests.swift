import HTTPSignals
import HTTPTypes
import Microhttpd
import Signals
import Testing
import TestSupport

/// The limits on open event streams, and the responses to clients beyond them.
@Suite struct StreamLimitTests {
  private static let eventSource = "Accept: text/event-stream"

  private func serve(
    loops: Int = 1, over wire: TestWire = .plain, configure: (inout DaemonOptions) -> Void,
    test: (TestServer) throws -> Void
  ) async throws {
    let log = EventLog(capacity: 8)
    try await TestServer.run(
      loops: loops,
      over: wire,
      configure: configure,
      handler: { exchange in
        var response = EventStream(log: log, from: log.head).response
        response.fields[.accessControlAllowOrigin] = "https://site.example"
        exchange.respond(response)
      },
      test: test
    )
  }

  /// Opens a stream and reads its preamble.
  ///
  /// - Returns: The connection; `nil` when a stream limit has been reached.
  private func open(_ server: TestServer, from client: String? = nil) throws -> Client? {
    let connection = try server.connect()
    let fields = [Self.eventSource] + (client.map { ["X-Forwarded-For: \($0)"] } ?? [])
    try connection.request("GET", "/", fields: fields)
    #expect(try connection.readHead().status == 200)
    _ = try connection.readEventLine()
    return try connection.readEventLine() == ": ok" ? connection : nil
  }

  @Test(arguments: TestWire.withLoops)
  func `an EventSource over the limit gets a long retry time and a close`(
    _ loops: Int, _ wire: TestWire
  ) async throws {
    try await serve(
      loops: loops,
      over: wire,
      configure: {
        $0.streams.maximum = 3
        $0.streams.heartbeat = .milliseconds(20)
      }
    ) { server in
      var clients = try (0..<3).map { _ in try #require(try open(server)) }
      let client = try server.connect()
      try client.request("GET", "/", fields: [Self.eventSource])
      let response = try client.readResponse()
      #expect(response.status == 200)
      #expect(response["Content-Type"] == "text/event-stream")
      #expect(response["Cache-Control"] == "no-store, no-transform")
      #expect(response["Access-Control-Allow-Origin"] == "https://site.example")
      #expect(response["Connection"]?.lowercased() == "close")
      let parts = try #require(response.text.wholeMatch(of: /retry: (\d+)\n: busy\n/))
      let retry = try #require(Int(parts.1))
      #expect((20_000...40_000).contains(retry))
      #expect(try client.readToEnd().isEmpty)

      // Another stream may open as soon as the daemon has noticed that a client has left.
      clients.removeLast().close()
      try eventually { try open(server) != nil }
    }
  }

  @Test func `a stream over the limit ends its subscription`() async throws {
    let isDisposed = Expectation()
    try await TestServer.run(
      configure: { $0.streams.maximum = 0 },
      handler: { exchange in
        let log = EventLog(capacity: 1)
        let source = AnyDisposable { isDisposed.fulfill() }
        exchange.respond(EventStream(log: log, from: log.head, source: source).response)
      }
    ) { server in
      #expect(try server.get("/").status == 503)
      try isDisposed.wait()
    }
  }

  @Test(arguments: TestWire.streaming)
  func `a client that leaves before its stream opens ends the subscription, and does not count`(
    _ wire: TestWire
  ) async throws {
    let exchanges = Lock<[Exchange]>([])
    let hasArrived = Expectation()
    let isDisposed = Expectation()
    try await TestServer.run(
      over: wire,
      handler: { exchange in
        exchanges.withLock { $0.append(exchange) }
        hasArrived.fulfill()
      }
    ) { server in
      for _ in 0..<10 {
        let client = try server.connect()
        try client.request("GET", "/")
        try hasArrived.wait()
        try client.reset()
        let exchange = try #require(exchanges.withLock { $0.popLast() })
        let log = EventLog(capacity: 1)
        let source = AnyDisposable { isDisposed.fulfill() }
        exchange.respond(EventStream(log: log, from: log.head, source: source).response)
        try isDisposed.wait()
      }
      try eventually { server.daemon.streamCount == 0 && server.daemon.connectionCount == 0 }
    }
  }

  @Test func `over the stream limit, clients other than EventSource get 503 and Retry-After`()
    async throws
  {
    try await serve(configure: {
      $0.streams.maximum = 0
      $0.responsePolicy = ResponsePolicyStub { request, problem in
        var response = TestResponsePolicy().response(for: problem, to: nil)
        response.fields[.vary] = request.path
        return response
      }
    }) { server in
      let response = try server.get("/")
      #expect(response["Vary"] == "/", "the response policy applies")
      #expect(response.status == 503)
      #expect(response["Content-Type"] == "application/problem+json")
      #expect(response["Retry-After"] == "30")
      #expect(response.text.contains("/problems/too-many-streams"))
    }
  }

  @Test(arguments: TestWire.streaming)
  func `streams are limited per client, and an IPv6 /64 is one client`(
    _ wire: TestWire
  ) async throws {
    try await serve(
      over: wire,
      configure: {
        $0.streams.maximumPerClient = 2
        $0.streams.heartbeat = .milliseconds(20)
        $0.trustedProxies = TrustedProxies([ClientNetwork("127.0.0.1")].compactMap(\.self))
      }
    ) { server in
      let first = try #require(try open(server, from: "192.0.2.1"))
      let second = try #require(try open(server, from: "192.0.2.1"))
      #expect(try open(server, from: "192.0.2.1") == nil)
      let other = try #require(try open(server, from: "192.0.2.2"))
      let sixth = try #require(try open(server, from: "2001:db8::1"))
      let seventh = try #require(try open(server, from: "2001:db8::ffff:2"))
      #expect(try open(server, from: "2001:db8::3") == nil)
      let eighth = try #require(try open(server, from: "2001:db8:0:1::3"))

      first.close()
      try eventually { try open(server, from: "192.0.2.1") != nil }
      for client in [second, other, sixth, seventh, eighth] { client.close() }
    }
  }

  @Test func `clients on this machine have no stream limit per client`() async throws {
    try await serve(configure: { $0.streams.maximumPerClient = 1 }) { server in
      let clients = try (0..<5).map { _ in try #require(try open(server)) }
      for client in clients { client.close() }
    }
  }

  @Test func `a HEAD request does not count toward the stream limit`() async throws {
    try await serve(configure: { $0.streams.maximum = 1 }) { server in
      for _ in 0..<5 {
        let client = try server.connect()
        try client.request("HEAD", "/")
        let response = try client.readResponse(to: "HEAD")
        #expect(response.status == 200)
        #expect(response["Content-Type"] == "text/event-stream")
      }
      #expect(try open(server) != nil)
    }
  }
}
