import HTTPSignals
import Signals
import Microhttpd
import TestSupport
import Testing

/// Requests that arrive slowly.
@Suite struct RequestTimeoutTests {
  private func run(
    _ timeout: Duration = .milliseconds(300), over wire: TestWire = .plain,
    _ test: (TestServer) async throws -> Void
  ) async throws {
    try await TestServer.run(
      over: wire, configure: { $0.connections.requestTimeout = timeout },
      handler: { $0.respond(.text("responded")) }, test: test)
  }

  /// Sends a piece about every 20 ms until the timeout response arrives.
  private func drip(_ piece: String, to client: Client) throws {
    for _ in 0..<500 {
      do throws(TestSystemError) {
        let response = try client.readResponse(within: .milliseconds(20))
        expectTimeout(response)
        return
      } catch .timeout {
        try client.send(piece)
      }
    }
    throw TestSystemError.timeout
  }

  private func expectTimeout(_ response: Client.Response) {
    #expect(response.status == 408)
    #expect(response["Content-Type"] == "application/problem+json")
    #expect(response["Connection"] == "close")
    #expect(response["X-Content-Type-Options"] == "nosniff")
    #expect(response["Date"]?.hasSuffix(" GMT") == true)
    #expect(response.text.contains("/problems/request-timeout"))
  }

  @Test(arguments: TestWire.streaming)
  func `a head that arrives too slowly gets 408, even if bytes keep arriving`(
    _ wire: TestWire
  )
    async throws
  {
    try await run(over: wire) { server in
      let client = try server.connect()
      try client.send("GET / HTTP/1.1\r\nHost: a\r\n")
      try drip("a: b\r\n", to: client)
    }
  }

  @Test(arguments: TestWire.streaming)
  func `a body that arrives too slowly gets 408, even if bytes keep arriving`(
    _ wire: TestWire
  )
    async throws
  {
    try await run(over: wire) { server in
      let client = try server.connect()
      let begin = ContinuousClock.now
      try client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
      try drip("1\r\nx\r\n", to: client)
      #expect(ContinuousClock.now - begin >= .milliseconds(300))
    }
  }

  @Test(arguments: TestWire.streaming)
  func `a request that got 408 is not carried out, even if its rest arrives`(
    _ wire: TestWire
  ) async throws {
    let count = Lock(0)
    try await TestServer.run(
      over: wire, configure: { $0.connections.requestTimeout = .milliseconds(300) },
      handler: { exchange in
        count.withLock { $0 += 1 }
        exchange.respond(.text("responded"))
      },
      test: { server in
        let client = try server.connect()
        try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nx")
        expectTimeout(try client.readResponse())
        try client.send("x")
        #expect(try client.readToEnd().isEmpty)
        client.close()
        try eventually { server.daemon.connectionCount == 0 }
      })
    #expect(count.withLock { $0 } == 0)
  }

  @Test func `a head may take a third of the request timeout, and an idle connection all of it`()
    async throws
  {
    // Not a whole number of seconds, the unit of libmicrohttpd's own timeout.
    try await run(.milliseconds(2700)) { server in
      let begin = ContinuousClock.now
      let dripping = try server.connect()
      let silent = try server.connect()
      try dripping.send("G")
      try drip("E", to: dripping)
      let headTime = ContinuousClock.now - begin
      #expect(headTime >= .milliseconds(900))
      // The silent one has 1.8 seconds left.
      #expect(throws: TestSystemError.timeout) {
        try silent.readToEnd(within: .milliseconds(500))
      }
      #expect(try silent.readToEnd().isEmpty)
      // One clock measures both times, so their order does not depend on the machine.
      #expect(ContinuousClock.now - begin >= .milliseconds(2700))
    }
  }

  @Test func `each request on a connection has its own time limit for its head`() async throws {
    try await run(.seconds(2)) { server in
      let client = try server.connect()
      for _ in 0..<3 {
        try client.request("GET", "/")
        #expect(try client.readResponse().text == "responded")
      }
      try client.send("GET / HTTP/1.1\r\n")
      try drip("a: b\r\n", to: client)
    }
  }

  /// The number of bytes before the response is not known until the first check.
  @Test func `a head that begins right after a response has its own time limit`() async throws {
    try await run(.seconds(12)) { server in
      let client = try server.connect()
      try client.request("GET", "/")
      #expect(try client.readResponse().text == "responded")
      pause(.milliseconds(100))
      let begin = ContinuousClock.now
      try client.send("G")
      #expect(try client.readResponse().status == 408)
      #expect(ContinuousClock.now - begin < .seconds(6))
    }
  }

  @Test func `a silent connection is closed without a response`() async throws {
    try await run { server in
      let client = try server.connect()
      #expect(try client.readToEnd().isEmpty)
    }
  }

  @Test func `a connection stays open as long as its requests arrive in time`() async throws {
    try await run(.seconds(1)) { server in
      let client = try server.connect()
      // Requests follow each other without a pause until the connection has outlived one timeout.
      let end = ContinuousClock.now + .milliseconds(1500)
      while ContinuousClock.now < end {
        try client.request("GET", "/")
        #expect(try client.readResponse().text == "responded")
      }
    }
  }

  @Test func `a response may come later than the request timeout`() async throws {
    let waiting = Lock<[Exchange]>([])
    try await TestServer.run(
      configure: { $0.connections.requestTimeout = .milliseconds(100) },
      handler: { exchange in
        if exchange.request.path == "/slow" {
          waiting.withLock { $0.append(exchange) }
        } else {
          exchange.respond(.text("quick"))
        }
      },
      test: { server in
        let slow = try server.connect()
        try slow.request("GET", "/slow")
        // A silent connection opened later has already been closed, so the timeout has passed.
        let silent = try server.connect()
        #expect(try silent.readToEnd().isEmpty)
        let exchanges = waiting.withLock { waiting in
          defer { waiting = [] }
          return waiting
        }
        for exchange in exchanges { exchange.respond(.text("late")) }
        #expect(try slow.readResponse().text == "late")
      }
    )
  }
}
