import HTTPSignals
import Locks
import Microhttpd
import TestSupport
import Testing

/// How many exchanges of one connection the service may hold at one time.
@Suite struct ExchangesInFlightTests {
  /// Responds at once and keeps the exchange, as an asynchronous sign-up does.
  private final class Handler: Sendable {
    let hasArrived = Expectation()
    private let kept = Lock<[Exchange]>([])

    var keptCount: Int { kept.withLock { $0.count } }

    func handle(_ exchange: Exchange) {
      guard exchange.request.path != "/now" else {
        exchange.respond(.text("now"))
        return
      }
      kept.withLock { $0.append(exchange) }
      exchange.respond(.text("started"))
      hasArrived.fulfill()
    }

    func release(_ count: Int) {
      // Not released under the lock, because the next request arrives then.
      let released = kept.withLock { kept in
        defer { kept.removeFirst(count) }
        return Array(kept.prefix(count))
      }
      withExtendedLifetime(released) {}
    }
  }

  private func run(
    loops: Int = 1,
    _ test: (TestServer, Handler) async throws -> Void
  ) async throws {
    let handler = Handler()
    try await TestServer.run(
      loops: loops,
      configure: { $0.maximumExchangesPerConnection = 4 },
      handler: handler.handle
    ) { server in
      try await test(server, handler)
    }
  }

  @Test(.timeLimit(.minutes(1)), arguments: [1, 2])
  func `holds requests of a connection beyond the limit until others have ended`(
    _ loops: Int
  ) async throws {
    try await run(loops: loops) { server, handler in
      let client = try server.connect()
      for _ in 0..<12 { try client.request("GET", "/async") }
      for _ in 0..<4 {
        #expect(try client.readResponse().text == "started")
        try handler.hasArrived.wait()
      }
      // Others are served meanwhile, and the fifth request is not.
      for _ in 0..<20 { #expect(try server.get("/now").text == "now") }
      #expect(handler.keptCount == 4)
      for expected in 5...12 {
        handler.release(1)
        #expect(try client.readResponse().text == "started")
        try handler.hasArrived.wait()
        #expect(handler.keptCount == 4, "\(expected)")
      }
      handler.release(4)
      try client.request("GET", "/now")
      #expect(try client.readResponse().text == "now")
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `a held request gets 503 when the daemon stops`() async throws {
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

  @Test(.timeLimit(.minutes(1)))
  func `requests that follow their responses are never held`() async throws {
    try await run { server, _ in
      let client = try server.connect()
      for _ in 0..<100 { try client.request("GET", "/now") }
      for _ in 0..<100 { #expect(try client.readResponse().text == "now") }
    }
  }
}
