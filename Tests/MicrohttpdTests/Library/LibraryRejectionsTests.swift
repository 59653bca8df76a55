import Glibc
import HTTPSignals
import Signals
import Microhttpd
import TestSupport
import Testing

/// Requests that libmicrohttpd itself rejects, with its own response or with none.
@Suite struct LibraryRejectionsTests {
  private static let smuggled = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"
  private static let post = "POST / HTTP/1.1\r\nHost: a\r\n"

  @Test(
    arguments: [
      ("a length with a plus", post + "Content-Length: +5\r\n\r\nabcde"),
      ("a negative length", post + "Content-Length: -1\r\n\r\n"),
      ("a hexadecimal length", post + "Content-Length: 0x5\r\n\r\nabcde"),
      ("a list of lengths", post + "Content-Length: 5, 5\r\n\r\nabcde"),
      ("an empty length", post + "Content-Length:\r\n\r\n"),
      ("a length of more than 64 bits", post + "Content-Length: 18446744073709551616\r\n\r\n"),
      ("a chunk without a size", post + "Transfer-Encoding: chunked\r\n\r\nx\r\nabc\r\n0\r\n\r\n"),
      (
        "a chunk longer than its size",
        post + "Transfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n"
      ),
      ("chunks in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
      ("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
      ("HTTP/0.9", "GET /\r\n"),
      ("TLS", "\u{16}\u{3}\u{1}\u{0}\u{5}\u{1}\u{0}\u{0}\u{1}\u{3}\r\n\r\n"),
    ]
  )
  func `reads no request from the bytes after one that libmicrohttpd rejects`(
    _ what: String, _ bytes: String
  ) async throws {
    let paths = Lock<[String]>([])
    try await TestServer.run(
      configure: { $0.connections.requestTimeout = .seconds(2) },
      handler: { exchange in
        paths.withLock { $0.append(exchange.request.path) }
        exchange.respond(.text("responded"))
      },
      test: { server in
        let client = try server.connect()
        try client.send(bytes + Self.smuggled)
        let response = try everything(from: client)
        #expect(
          response.isEmpty || response.hasPrefix("HTTP/1.1 4") || response.hasPrefix("HTTP/1.1 5"))
        #expect(!response.contains("responded"))
        #expect(try server.get("/after").text == "responded")
      }
    )
    #expect(paths.withLock { $0 } == ["/after"])
  }

  /// Reads everything until the connection is closed, or reset because client bytes were unread.
  private func everything(from client: Client) throws -> String {
    do throws(TestSystemError) {
      return String(decoding: try client.readToEnd(), as: UTF8.self)
    } catch .system(_, ECONNRESET) {
      return ""
    }
  }
}
