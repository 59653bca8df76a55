import Glibc
import HTTPSignals
import Locks
import Microhttpd
import TestSupport
import Testing

/// What libmicrohttpd rejects by itself, in its own words or with none.
@Suite struct LibraryRejectionsTests {
  private static let smuggled = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"
  private static let post = "POST / HTTP/1.1\r\nHost: a\r\n"

  @Test(
    arguments: [
      ("a length with a plus", post + "Content-Length: +5\r\n\r\nabcde"),
      ("a length below nothing", post + "Content-Length: -1\r\n\r\n"),
      ("a length in other digits", post + "Content-Length: 0x5\r\n\r\nabcde"),
      ("a list of lengths", post + "Content-Length: 5, 5\r\n\r\nabcde"),
      ("an empty length", post + "Content-Length:\r\n\r\n"),
      ("a length of more than 64 bits", post + "Content-Length: 18446744073709551616\r\n\r\n"),
      ("a chunk without a size", post + "Transfer-Encoding: chunked\r\n\r\nx\r\nabc\r\n0\r\n\r\n"),
      ("a chunk that is longer", post + "Transfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n"),
      ("chunks in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
      ("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
      ("HTTP/0.9", "GET /\r\n"),
      ("TLS", "\u{16}\u{3}\u{1}\u{0}\u{5}\u{1}\u{0}\u{0}\u{1}\u{3}\r\n\r\n"),
    ]
  )
  func `is closed, and nothing of the rest is read as a request`(
    _ what: String,
    _ bytes: String
  ) async throws {
    let paths = Lock<[String]>([])
    try await TestServer.run(
      configure: { $0.requestTimeout = .seconds(2) },
      handler: { exchange in
        paths.withLock { $0.append(exchange.request.path) }
        exchange.respond(.text("answered"))
      },
      test: { server in
        let client = try server.connect()
        try client.send(bytes + Self.smuggled)
        let response = try everything(from: client)
        #expect(
          response.isEmpty || response.hasPrefix("HTTP/1.1 4") || response.hasPrefix("HTTP/1.1 5")
        )
        #expect(!response.contains("answered"))
        #expect(try server.get("/after").text == "answered")
      }
    )
    #expect(paths.withLock { $0 } == ["/after"])
  }

  /// What comes until the connection is closed or, with bytes of the client unread, broken off.
  private func everything(from client: SocketClient) throws -> String {
    do throws(TestSystemError) {
      return String(decoding: try client.readToEnd(), as: UTF8.self)
    } catch .system(_, ECONNRESET) {
      return ""
    }
  }
}
