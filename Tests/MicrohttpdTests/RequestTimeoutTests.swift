import HTTPSignals
import Locks
import Microhttpd
import TestSupport
import Testing

/// Requests that take their time to arrive.
@Suite struct RequestTimeoutTests {
  private func run(_ test: (TestServer) async throws -> Void) async throws {
    try await TestServer.run(
      configure: { $0.requestTimeout = .milliseconds(200) },
      answer: { $0.respond(.text("answered")) },
      test: test
    )
  }

  /// Sends a little, waits a little for the end of the connection, and again; nothing is answered.
  private func drip(_ piece: String, to client: SocketClient) throws {
    for _ in 0..<500 {
      do throws(TestSystemError) {
        #expect(try client.readToEnd(by: Deadline(after: .milliseconds(20))).isEmpty)
        return
      } catch .timeout {
        try client.send(piece)
      }
    }
    Issue.record("the connection is still open")
  }

  @Test func `a head that drips is cut, though it never falls silent`() async throws {
    try await run { server in
      let client = try server.connect()
      try client.send("GET / HTTP/1.1\r\nHost: a\r\n")
      try drip("a: b\r\n", to: client)
    }
  }

  @Test func `content that drips is cut, though it never falls silent`() async throws {
    try await run { server in
      let client = try server.connect()
      try client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
      try drip("1\r\nx\r\n", to: client)
    }
  }

  @Test func `a connection that says nothing is closed`() async throws {
    try await run { server in
      let client = try server.connect()
      #expect(try client.readToEnd().isEmpty)
    }
  }

  @Test func `a connection lives as long as it brings requests in time`() async throws {
    try await run { server in
      let client = try server.connect()
      // Reading the answer is all that separates them, so the connection outlives its first time.
      let end = ContinuousClock.now + .milliseconds(500)
      while ContinuousClock.now < end {
        try client.request("GET", "/")
        #expect(try client.readAnswer().text == "answered")
      }
    }
  }

  @Test func `an answer may come later than a request may take`() async throws {
    let waiting = Lock<[Exchange]>([])
    try await TestServer.run(
      configure: { $0.requestTimeout = .milliseconds(100) },
      answer: { exchange in
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
        #expect(try slow.readAnswer().text == "late")
      }
    )
  }
}
