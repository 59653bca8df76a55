import CMicrohttpd
import HTTPSignals
import Signals
import Microhttpd
import TestSupport
import Testing

/// Requests that a proxy may interpret differently, and the requests hidden behind them.
@Suite struct SmugglingTests {
  private static let hidden = "GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n"

  /// Sends an attempt and the request hidden behind it.
  ///
  /// - Returns: The paths that reached the handler, and everything that the server sent.
  private func run(
    _ attempt: SmugglingAttempt, over wire: TestWire, byteByByte: Bool = false
  ) async throws -> (paths: [String], responses: String) {
    let paths = Lock<[String]>([])
    var responses = ""
    try await TestServer.run(
      over: wire,
      configure: { $0.connections.requestTimeout = .seconds(3) },
      handler: { exchange in
        paths.withLock { $0.append(exchange.request.path) }
        exchange.respond(.text("responded"))
      },
      test: { server in
        let client = try server.connect()
        // The server reads nothing after a rejection, so sending the rest may fail.
        do throws(TestSystemError) {
          let text = attempt.request + Self.hidden
          if byteByByte { try client.sendByteByByte(text) } else { try client.send(text) }
          responses = String(decoding: try client.readToEnd(), as: UTF8.self)
        } catch .system {}
      }
    )
    return (paths.withLock { $0 }, responses)
  }

  private func expectNothingHidden(
    _ attempt: SmugglingAttempt, _ result: (paths: [String], responses: String)
  ) {
    #expect(!result.paths.contains("/hidden"))
    #expect(result.responses.occurrences(of: "HTTP/1.1 2") <= 1, "\(result.responses)")
    if !attempt.isValid {
      #expect(result.paths.isEmpty)
      let isRejected = ["HTTP/1.1 4", "HTTP/1.1 501"].contains { result.responses.hasPrefix($0) }
      #expect(result.responses.isEmpty || isRejected, "\(result.responses)")
    }
  }

  @Test(arguments: SmugglingAttempt.heads, [TestWire.plain, .secure])
  func `rejects an ambiguous head and runs no request hidden behind it`(
    _ attempt: SmugglingAttempt, _ wire: TestWire
  ) async throws {
    expectNothingHidden(attempt, try await run(attempt, over: wire))
  }

  @Test(
    .enabled(if: cmicrohttpd_is_strict(), "does not apply: libmicrohttpd 0.9.75 reads no further"),
    arguments: SmugglingAttempt.ends, [TestWire.plain, .secure])
  func `rejects a head whose end is ambiguous`(
    _ attempt: SmugglingAttempt, _ wire: TestWire
  )
    async throws
  {
    expectNothingHidden(attempt, try await run(attempt, over: wire))
  }

  @Test(arguments: SmugglingAttempt.bodies, [TestWire.plain, .secure])
  func `runs no request hidden behind ambiguous chunks`(
    _ attempt: SmugglingAttempt, _ wire: TestWire
  ) async throws {
    expectNothingHidden(attempt, try await run(attempt, over: wire))
  }

  @Test(arguments: SmugglingAttempt.heads)
  func `runs no request hidden behind an ambiguous head that arrives byte by byte`(
    _ attempt: SmugglingAttempt
  ) async throws {
    let result = try await run(attempt, over: .plain, byteByByte: true)
    #expect(!result.paths.contains("/hidden"))
    #expect(result.responses.occurrences(of: "HTTP/1.1 2") <= 1, "\(result.responses)")
  }

  @Test func `keeps the connection after a head that arrived in pieces`() async throws {
    try await TestServer.run(
      handler: { $0.respond(.text("responded")) },
      test: { server in
        let client = try server.connect()
        try client.send("GET /?a=b&c HTTP/1.1\r\nHost: a\r")
        // The response on another connection shows that the server has read the part.
        _ = try server.get("/")
        try client.send("\nX:\ty \r\n\r\n")
        #expect(try client.readResponse().status == 200)
        try client.request("GET", "/again")
        #expect(try client.readResponse().status == 200)
      }
    )
  }
}

extension String {
  /// Returns the number of times that a text occurs.
  fileprivate func occurrences(of text: String) -> Int {
    split(separator: text, omittingEmptySubsequences: false).count - 1
  }
}
