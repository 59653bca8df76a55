import HTTPSignals
import Signals
import Microhttpd
import TestSupport
import Testing

/// Clients that half-close the connection and wait for their response.
@Suite struct HalfCloseTests {
  /// Runs a test with a daemon that checks for half-closed clients several times per timeout.
  private func run(
    handler: @escaping @Sendable (Exchange) -> Void, _ test: (TestServer) async throws -> Void
  ) async throws {
    try await TestServer.run(
      configure: { $0.connections.requestTimeout = .seconds(2) }, handler: handler, test: test)
  }

  @Test func `a half-closed client gets an immediate response`() async throws {
    try await run(handler: { $0.respond(.text("now")) }) { server in
      let client = try server.connect()
      try client.request("POST", "/", body: "x")
      client.finishSending()
      #expect(try client.readResponse().text == "now")
      #expect(try client.readToEnd().isEmpty)
    }
  }

  /// On its own, libmicrohttpd would read before it responds, find the end, and close.
  @Test(arguments: ["", "GET /other HTTP/1.1\r\nHost: a\r\n\r\n"])
  func `each of many half-closed clients gets a later response`(_ pipelined: String) async throws {
    let waiting = Lock<[Exchange]>([])
    let hasArrived = Expectation()
    let handler: @Sendable (Exchange) -> Void = { exchange in
      guard exchange.request.path == "/later" else {
        exchange.respond(.text("now"))
        return
      }
      waiting.withLock { $0.append(exchange) }
      hasArrived.fulfill()
    }
    try await run(handler: handler) { server in
      let clients = try (0..<30).map { _ in
        let client = try server.connect()
        try client.send("POST /later HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx\(pipelined)")
        client.finishSending()
        try hasArrived.wait()
        return client
      }
      // Respond in a different order from the order of arrival.
      for exchange in waiting.withLock({ $0 }).shuffled() { exchange.respond(.text("later")) }
      for client in clients {
        #expect(try client.readResponse().text == "later")
        if !pipelined.isEmpty { #expect(try client.readResponse().text == "now") }
        #expect(try client.readToEnd().isEmpty)
      }
    }
    waiting.withLock { $0 = [] }
  }

  @Test func `a client that half-closes in the middle of a request gets no response`() async throws
  {
    try await run(handler: { $0.respond(.text("now")) }) { server in
      for part in ["POST", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nx"] {
        let client = try server.connect()
        try client.send(part)
        client.finishSending()
        #expect(try client.readToEnd().isEmpty)
      }
    }
  }
}
