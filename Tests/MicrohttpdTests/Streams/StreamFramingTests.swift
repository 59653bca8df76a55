import HTTPSignals
import HTTPTypes
import Microhttpd
import Testing
import TestSupport

/// The bytes of an event stream on the wire.
@Suite struct StreamFramingTests {
  /// Runs a test with a daemon that streams a log from its oldest event; the log has one event.
  private func serve(over wire: TestWire, test: (TestServer, EventLog) throws -> Void) async throws
  {
    let log = EventLog(capacity: 8)
    log.append(count: 1)
    try await TestServer.run(
      over: wire, handler: { $0.respond(EventStream(log: log, from: log.oldest).response) },
      test: { try test($0, log) })
  }

  private static let firstBlock = "id: test-1\nevent: tick\ndata: {\"number\":1}\n\n"
  private static let secondBlock = "id: test-2\nevent: tick\ndata: {\"number\":2}\n\n"

  @Test func `HTTP/1.1 streams are chunks of whole blocks, then an empty chunk and a close`()
    async throws
  {
    try await serve(over: .plain) { server, log in
      let client = try server.connect()
      try client.request("GET", "/")
      let head = try client.readHead()
      #expect(head["Transfer-Encoding"] == "chunked")
      #expect(head["Connection"]?.lowercased() == "close")
      log.append(count: 1)
      log.finish()
      let text = String(decoding: try client.readToEnd(), as: UTF8.self)
      let size = String(Self.firstBlock.utf8.count, radix: 16)
      let both = String(Self.firstBlock.utf8.count * 2, radix: 16)
      let parts = try #require(
        text.wholeMatch(of: /([0-9a-f]+)\r\nretry: \d{4}\n: ok\n\r\n(.*)/.dotMatchesNewlines()))
      #expect(parts.1 == "11")
      // One chunk holds both blocks if the second event came before the first was sent.
      let apart = "\(size)\r\n\(Self.firstBlock)\r\n\(size)\r\n\(Self.secondBlock)\r\n0\r\n\r\n"
      let together = "\(both)\r\n\(Self.firstBlock)\(Self.secondBlock)\r\n0\r\n\r\n"
      #expect(parts.2 == apart || parts.2 == together)
    }
  }

  @Test(
    arguments: [
      "GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    ],
    TestWire.streaming
  )
  func `streams with HTTP/1.0 or Connection: close are not chunked and end with a close`(
    _ request: String, _ wire: TestWire
  ) async throws {
    try await serve(over: wire) { server, log in
      let client = try server.connect()
      try client.send(request)
      let head = try client.readHead()
      #expect(head.status == 200)
      #expect(head["Transfer-Encoding"] == nil)
      #expect(head["Content-Length"] == nil)
      #expect(try client.readEvent()?.id == "test-1")
      log.append(count: 1)
      #expect(
        try client.readEvent()?.lines == Self.secondBlock.split(separator: "\n").map(String.init))
      log.finish()
      #expect(try client.readEvent() == nil)
      #expect(try client.readToEnd().isEmpty)
    }
  }

  @Test(arguments: TestWire.streaming)
  func `a request for a stream can arrive byte by byte`(_ wire: TestWire) async throws {
    try await serve(over: wire) { server, _ in
      let client = try server.connect()
      try client.sendByteByByte("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try client.readHead().status == 200)
      #expect(try client.readEvent()?.id == "test-1")
    }
  }

  /// If the daemon left the bytes unread, the kernel would reset the connection and discard
  /// undelivered data.
  @Test func `bytes after the request do not affect a stream without TLS`() async throws {
    try await serve(over: .plain) { server, log in
      let client = try server.connect()
      try client.request("GET", "/")
      #expect(try client.readHead().status == 200)
      try client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try client.readEvent()?.id == "test-1")
      log.append(count: 1)
      log.finish()
      #expect(try client.readEvent()?.id == "test-2")
      #expect(try client.readEvent() == nil)
      #expect(try client.readToEnd().isEmpty)
    }
  }

  @Test func `a half-closed client gets all pending events and a clean end`()
    async throws
  {
    try await serve(over: .plain) { server, _ in
      let client = try server.connect()
      try client.request("GET", "/")
      client.finishSending()
      #expect(try client.readHead().status == 200)
      #expect(try client.readEvent()?.id == "test-1")
      #expect(try client.readEvent() == nil)
      #expect(try client.readToEnd().isEmpty)
    }
  }
}
