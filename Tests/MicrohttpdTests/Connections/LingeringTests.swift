import Glibc
import HTTPSignals
import Microhttpd
import Synchronization
import TestSupport
import Testing

/// Connections that the daemon closes while their clients are still sending (RFC 9112 §9.6).
@Suite struct LingeringTests {
  private static let post = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx"
  /// A chunked request, the last one of its connection.
  private static let last =
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"
  /// More than the receive buffer of the client takes.
  private static let body = String(repeating: "y", count: 1000)

  @Test(arguments: [TestWire.plain, .secure, .secureInParts])
  func `each request before the last one gets its response, whatever follows it`(
    wire: TestWire
  ) async throws {
    let count = Atomic(0)
    try await TestServer.run(
      over: wire,
      handler: { exchange in
        count.add(1, ordering: .relaxed)
        exchange.respond(.text(Self.body))
      },
      test: { server in
        let client = try server.connect(receiveBufferBytes: 4096)
        let posts = String(repeating: Self.post, count: 20)
        let rest = String(repeating: Self.post, count: 1000)
        try client.send(posts + Self.last + rest)
        for _ in 0..<21 { #expect(try client.readResponse().text == Self.body) }
        #expect(try client.readToEnd().isEmpty)
        #expect(count.load(ordering: .relaxed) == 21)
      }
    )
  }

  @Test func `a rejected request does not take the responses before it`() async throws {
    try await TestServer.run(
      handler: { $0.respond(.text(Self.body)) },
      test: { server in
        let client = try server.connect(receiveBufferBytes: 4096)
        let posts = String(repeating: Self.post, count: 20)
        let rest = String(repeating: Self.post, count: 1000)
        try client.send(posts + "GET /\u{1} HTTP/1.1\r\nHost: a\r\n\r\n" + rest)
        for _ in 0..<20 { #expect(try client.readResponse().text == Self.body) }
        #expect(try client.readResponse().status == 400)
        #expect(try client.readToEnd().isEmpty)
      }
    )
  }

  @Test(
    arguments: [
      "GET /\u{1} HTTP/1.1\r\nHost: a\r\n\r\n", "POST / HTTP/1.1\r\nHost: a\r\nContent-Le",
    ], TestWire.streaming
  )
  func `a client that goes on sending after a rejection is not reset`(
    _ request: String, _ wire: TestWire
  ) async throws {
    try await TestServer.run(
      over: wire,
      configure: { $0.connections.requestTimeout = .milliseconds(900) },
      handler: { $0.respond(.text("responded")) },
      test: { server in
        let client = try server.connect()
        try client.send(request)
        let response = try client.readResponse()
        #expect([400, 408].contains(response.status), "\(response.status)")
        for _ in 0..<3 {
          try client.send(Self.body)
          pause(.milliseconds(30))
        }
        #expect(try client.readToEnd().isEmpty)
        client.close()
        try eventually { server.daemon.connectionCount == 0 }
      }
    )
  }

  @Test func `a client that goes on sending is closed, and is counted until then`() async throws {
    try await TestServer.run(
      configure: { $0.connections.maximum = 1 },
      handler: { $0.respond(.text("responded")) },
      test: { server in
        let client = try server.connect()
        try client.send(Self.last)
        #expect(try client.readResponse().text == "responded")
        #expect(server.daemon.connectionCount == 1)
        #expect(throws: TestSystemError.self) {
          while true { try client.send(Self.post) }
        }
        try eventually { server.daemon.connectionCount == 0 }
        #expect(try server.get("/").text == "responded")
      }
    )
  }
}
