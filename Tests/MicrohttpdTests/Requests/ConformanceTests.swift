import HTTPSignals
import TestSupport
import Testing

/// The requirements of HTTP/1.1 (RFC 9112) that conformance suites for servers check.
@Suite struct ConformanceTests {
  private func run(_ test: (TestServer) async throws -> Void) async throws {
    try await TestServer.run(handler: { $0.respond(.text("responded")) }, test: test)
  }

  @Test(
    arguments: [
      ("a method", "G"),
      ("a method and a space", "GET "),
      ("part of a target", "GET /hel"),
      ("a target", "GET /hello"),
      ("a target and a space", "GET /hello "),
      ("part of a version", "GET /hello HT"),
      ("a version without its number", "GET /hello HTTP/"),
      ("part of the number", "GET /hello HTTP/1."),
      ("a request line without its end", "GET /hello HTTP/1.1"),
      ("a request line and a CR", "GET /hello HTTP/1.1\r"),
      ("a request line", "GET /hello HTTP/1.1\r\n"),
      ("part of a name", "GET /hello HTTP/1.1\r\nHos"),
      ("a name", "GET /hello HTTP/1.1\r\nHost:"),
      ("a name and a space", "GET /hello HTTP/1.1\r\nHost: "),
      ("part of a value", "GET /hello HTTP/1.1\r\nHost: local"),
      ("a value", "GET /hello HTTP/1.1\r\nHost: localhost"),
      ("a value and a CR", "GET /hello HTTP/1.1\r\nHost: localhost\r"),
      ("a whole line", "GET /hello HTTP/1.1\r\nHost: localhost\r\n"),
      ("all but the last byte", "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r"),
    ]
  )
  func `waits for the rest of a request that pauses at any point`(
    _ what: String, _ part: String
  ) async throws {
    try await run { server in
      let client = try server.connect()
      try client.send(part)
      // The response on another connection shows that the server has read the part.
      _ = try server.get("/")
      let whole = "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n"
      #expect(whole.utf8.starts(with: part.utf8))
      try client.send(String(decoding: whole.utf8.dropFirst(part.utf8.count), as: UTF8.self))
      #expect(try client.readResponse().text == "responded")
    }
  }

  @Test(
    arguments: [
      ("a GET", "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", 200...299),
      (
        "any case and white space", "GET / HTTP/1.1\r\nhoSt:\tlocalhost\t \r\nempty:\r\n\r\n",
        200...299
      ),
      ("an empty value", "GET / HTTP/1.1\r\nHost: localhost\r\nX-Empty-Header:\r\n\r\n", 200...299),
      (
        "an expectation",
        "POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nab",
        200...299
      ),
      (
        "an expectation without a body",
        "GET / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n\r\n", 200...299
      ),
      ("a body", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello", 200...299),
      (
        "chunks",
        "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nc\r\nHello world!\r\n0\r\n\r\n",
        200...299
      ),
      ("no version", "GET / \r\nHost: localhost\r\n\r\n", 400...599),
      (
        "a name that is not a token", "GET / HTTP/1.1\r\nHost: localhost\r\nX-Inv@lid[]: x\r\n\r\n",
        400...499
      ),
      ("no host", "GET / HTTP/1.1\r\n\r\n", 400...499),
      ("no host, and a length", "GET / HTTP/1.1\r\nContent-Length: 5\r\n\r\n", 400...499),
      ("two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400...499),
      (
        "a length below the 64-bit range",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -123456789123456789123456789\r\n\r\n",
        400...499
      ),
      (
        "a negative length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1234\r\n\r\n",
        400...499
      ),
      (
        "a length that is not a number",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: abc\r\n\r\n", 400...499
      ),
      ("a control character", "GET / HTTP/1.1\r\nHost: a\r\nX: a\u{7}b\r\n\r\n", 400...499),
      (
        "a control character in a long value",
        "GET / HTTP/1.1\r\nHost: a\r\nX: 12345678901\u{1}345678\r\n\r\n", 400...499
      ),
      (
        "a control character after a tab",
        "GET / HTTP/1.1\r\nHost: a\r\nX: 123\t5678 12345678\u{7F}\r\n\r\n", 400...499
      ),
      ("another version", "GET / HTTP/9.9\r\nHost: a\r\n\r\n", 400...599),
      ("a bare CR as a line ending", "GET / HTTP/1.1\r\nHost: a\r\rX: y\r\n\r\n", 400...499),
      ("a bare CR before a name", "GET / HTTP/1.1\r\nHost: a\r\n\rX: y\r\n\r\n", 400...499),
      (
        "a length and chunks in any case",
        "POST / HTTP/1.1\r\nHost: a\r\ncontent-LengtH: 5\r\nTransFer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        400...499
      ),
      (
        "a length and chunks",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        400...499
      ),
    ] as [(String, String, ClosedRange<Int>)]
  )
  func `responds with the expected class of status`(
    _ what: String, _ request: String, _ statuses: ClosedRange<Int>
  ) async throws {
    try await run { server in
      let client = try server.connect()
      try client.send(request)
      #expect(statuses.contains(try client.readResponse().status))
    }
  }
}
