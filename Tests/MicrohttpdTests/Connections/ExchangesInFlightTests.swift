import HTTPSignals
import Signals
import Microhttpd
import TestSupport
import Testing

/// The limit on the exchanges of one connection that the service has not released.
@Suite struct ExchangesInFlightTests {
  /// Responds immediately and retains the exchange, as an asynchronous sign-up does.
  private final class Handler: Sendable {
    let hasArrived = Expectation()
    private let retained = Lock<[Exchange]>([])

    var retainedCount: Int { retained.withLock { $0.count } }

    func handle(_ exchange: Exchange) {
      guard exchange.request.path != "/now" else {
        exchange.respond(.text("now"))
        return
      }
      retained.withLock { $0.append(exchange) }
      exchange.respond(.text("started"))
      hasArrived.fulfill()
    }

    func release(_ count: Int) {
      // Release outside the lock, because the release lets the next request arrive.
      let released = retained.withLock { retained in
        defer { retained.removeFirst(count) }
        return Array(retained.prefix(count))
      }
      withExtendedLifetime(released) {}
    }
  }

  private func run(loops: Int = 1, _ test: (TestServer, Handler) async throws -> Void) async throws
  {
    let handler = Handler()
    try await TestServer.run(
      loops: loops, configure: { $0.connections.maximumExchanges = 4 }, handler: handler.handle
    ) { server in
      try await test(server, handler)
    }
  }

  @Test(arguments: [1, 2])
  func `requests over the limit of a connection wait until earlier exchanges are released`(
    _ loops: Int
  ) async throws {
    try await run(loops: loops) { server, handler in
      let client = try server.connect()
      for _ in 0..<12 { try client.request("GET", "/async") }
      for _ in 0..<4 {
        #expect(try client.readResponse().text == "started")
        try handler.hasArrived.wait()
      }
      // Other connections are served in the meantime; the fifth request is not.
      for _ in 0..<20 { #expect(try server.get("/now").text == "now") }
      #expect(handler.retainedCount == 4)
      for expected in 5...12 {
        handler.release(1)
        #expect(try client.readResponse().text == "started")
        try handler.hasArrived.wait()
        #expect(handler.retainedCount == 4, "\(expected)")
      }
      handler.release(4)
      try client.request("GET", "/now")
      #expect(try client.readResponse().text == "now")
    }
  }

  @Test
  func `a request that waits for earlier exchanges gets 503 when the daemon stops`() async throws {
    try await run { server, handler in
      let client = try server.connect()
      for _ in 0..<5 { try client.request("GET", "/async") }
      for _ in 0..<4 {
        #expect(try client.readResponse().status == 200)
        try handler.hasArrived.wait()
      }
      #expect(try server.get("/now").text == "now")
      await server.daemon.stop(drain: .zero)
      #expect(try client.readResponse().status == 503)
      #expect(try client.readToEnd().isEmpty)
      handler.release(4)
    }
  }

  @Test
  func `requests whose exchanges are released immediately never wait`() async throws {
    try await run { server, _ in
      let client = try server.connect()
      for _ in 0..<100 { try client.request("GET", "/now") }
      for _ in 0..<100 { #expect(try client.readResponse().text == "now") }
    }
  }
}
