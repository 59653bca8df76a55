import HTTPSignals
import Locks
import Microhttpd
import TestSupport
import Testing

/// Requests that take their time to arrive.
@Suite struct RequestTimeoutTests {
  private func run(
    _ timeout: Duration = .milliseconds(300),
    _ test: (TestServer) async throws -> Void
  ) async throws {
    try await TestServer.run(
      configure: { $0.requestTimeout = timeout },
      handler: { $0.respond(.text("answered")) },
      test: test
    )
  }

  /// Sends a little, waits a little for an answer, and again.
  ///
  /// - Returns: How long it took until the connection was closed.
  private func drip(_ piece: String, to client: SocketClient) throws -> Duration {
    let begin = ContinuousClock.now
    for _ in 0..<500 {
      do throws(TestSystemError) {
        let response = try client.readResponse(by: Deadline(after: .milliseconds(20)))
        expectTimeout(response)
        return ContinuousClock.now - begin
      } catch .timeout {
        try client.send(piece)
      }
    }
    throw TestSystemError.timeout
  }

  private func expectTimeout(_ response: TestResponse) {
    #expect(response.status == 408)
    #expect(response["Content-Type"] == "application/problem+json")
    #expect(response["Connection"] == "close")
    #expect(response["X-Content-Type-Options"] == "nosniff")
    #expect(response["Date"]?.hasSuffix(" GMT") == true)
    #expect(response.text.contains("/problems/request-timeout"))
  }

  @Test func `a head that drips is answered 408 and cut, though it never falls silent`()
    async throws
  {
    try await run { server in
      let client = try server.connect()
      try client.send("GET / HTTP/1.1\r\nHost: a\r\n")
      _ = try drip("a: b\r\n", to: client)
    }
  }

  @Test func `content that drips is answered 408 and cut, though it never falls silent`()
    async throws
  {
    try await run { server in
      let client = try server.connect()
      try client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
      let time = try drip("1\r\nx\r\n", to: client)
      #expect(time >= .milliseconds(300))
    }
  }

  @Test func `a head may take a third of the time, and an idle connection all of it`()
    async throws
  {
    // Not a whole number of seconds, which is what libmicrohttpd's own timeout counts.
    try await run(.milliseconds(2700)) { server in
      let begin = ContinuousClock.now
      let dripping = try server.connect()
      let silent = try server.connect()
      try dripping.send("G")
      _ = try drip("E", to: dripping)
      let headTime = ContinuousClock.now - begin
      #expect(headTime >= .milliseconds(900))
      #expect(try silent.readToEnd().isEmpty)
      // Both were looked at by the same clock: which came first does not depend on the machine.
      #expect(ContinuousClock.now - begin >= .milliseconds(2700))
    }
  }

  @Test func `the time of a head begins anew with each request of a connection`() async throws {
    try await run(.seconds(2)) { server in
      let client = try server.connect()
      for _ in 0..<3 {
        try client.request("GET", "/")
        #expect(try client.readResponse().text == "answered")
      }
      try client.send("GET / HTTP/1.1\r\n")
      _ = try drip("a: b\r\n", to: client)
    }
  }

  @Test func `a connection that says nothing is closed without a word`() async throws {
    try await run { server in
      let client = try server.connect()
      #expect(try client.readToEnd().isEmpty)
    }
  }

  @Test func `a connection lives as long as it brings requests in time`() async throws {
    try await run(.seconds(1)) { server in
      let client = try server.connect()
      // Reading the answer is all that separates them, so the connection outlives its first time.
      let end = ContinuousClock.now + .milliseconds(1500)
      while ContinuousClock.now < end {
        try client.request("GET", "/")
        #expect(try client.readResponse().text == "answered")
      }
    }
  }

  @Test func `an answer may come later than a request may take`() async throws {
    let waiting = Lock<[Exchange]>([])
    try await TestServer.run(
      configure: { $0.requestTimeout = .milliseconds(100) },
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
        // A silent connection that is opened afterwards is cut first: so its time has passed.
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
