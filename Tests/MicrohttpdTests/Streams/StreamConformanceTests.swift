import HTTPSignals
import Microhttpd
import TestSupport
import Testing

/// The promises of an event stream's bytes, whichever transport and framing it has.
@Suite struct StreamConformanceTests {
  /// A way to mark the end of a stream, and the version of HTTP whose requests get it.
  enum Framing: String, CaseIterable {
    case chunked = "HTTP/1.1"
    case untilClose = "HTTP/1.0"
  }

  /// A stream whose bytes are known, except for its random reconnection time.
  enum Example: String, CaseIterable {
    /// A log that has finished without an event.
    case empty
    /// Three events that precede the request.
    case earlier
    /// Five events, of which the client has seen the first three.
    case resumed
    /// An event for this client only, then one of the log.
    case opened
    /// More bytes than one frame, and than one part of libmicrohttpd's buffer.
    case large
    /// A position that is no longer in the log.
    case outside
    /// Three events that follow the request.
    case later

    /// Makes the log.
    func makeLog() -> EventLog {
      let log = EventLog(capacity: self == .outside ? 4 : 256)
      switch self {
      case .empty: break
      case .earlier: log.append(count: 3)
      case .resumed: log.append(count: 5)
      case .opened: log.append(count: 1)
      case .large: log.append(count: 100, padding: Self.padding)
      case .outside: log.append(count: 1000)
      case .later: return log
      }
      log.finish()
      return log
    }

    /// Makes the stream.
    func makeStream(of log: EventLog) -> EventStream {
      switch self {
      case .empty, .later: EventStream(log: log, from: log.head)
      case .earlier, .large: EventStream(log: log, from: log.oldest)
      case .resumed: EventStream(log: log, from: 4)
      case .opened:
        EventStream(log: log, from: log.oldest, opening: ServerSentEvent(number: 77))
      case .outside: EventStream(log: log, from: 1)
      }
    }

    /// The blocks that follow the preamble.
    var blocks: String {
      switch self {
      case .empty, .outside: ""
      case .earlier, .later: (1...3).map { Self.block($0) }.joined()
      case .resumed: (4...5).map { Self.block($0) }.joined()
      case .opened: Self.block(77) + Self.block(1)
      case .large: (1...100).map { Self.block($0, padding: Self.padding) }.joined()
      }
    }

    private static let padding = 900

    private static func block(_ number: Int, padding: Int = 0) -> String {
      let letters = String(repeating: "x", count: padding)
      let member = padding > 0 ? ",\"padding\":\"\(letters)\"" : ""
      return "id: test-\(number)\nevent: tick\ndata: {\"number\":\(number)\(member)}\n\n"
    }
  }

  @Test(arguments: TestWire.streaming, Framing.allCases)
  func `a stream has the same bytes with every transport and framing`(
    _ wire: TestWire, _ framing: Framing
  ) async throws {
    let logs = Dictionary(uniqueKeysWithValues: Example.allCases.map { ($0, $0.makeLog()) })
    try await TestServer.run(
      over: wire,
      // A heartbeat would come at a random time.
      configure: { $0.streams.heartbeat = .seconds(1_000_000) },
      handler: { exchange in
        let example = Example(rawValue: String(exchange.request.path.dropFirst()))
        guard let example, let log = logs[example] else { return }
        exchange.respond(example.makeStream(of: log).response)
      }
    ) { server in
      // All streams are open at the same time.
      let clients = try Example.allCases.map { example in
        let client = try server.connect()
        try client.send("GET /\(example.rawValue) \(framing.rawValue)\r\nHost: localhost\r\n\r\n")
        return (example, client, try client.readHead())
      }
      logs[.later]?.append(count: 3)
      logs[.later]?.finish()
      for (example, client, head) in clients {
        #expect(head.status == 200, "\(example)")
        #expect(head["Content-Type"] == "text/event-stream", "\(example)")
        #expect((head["Transfer-Encoding"] == "chunked") == (framing == .chunked), "\(example)")
        var body: [UInt8] = []
        // An end without the last chunk, or a reset, would throw.
        while let part = try client.readBody() { body += part }
        let text = String(decoding: body, as: UTF8.self)
        let preamble = try #require(text.prefixMatch(of: /retry: [2-5]\d{3}\n: ok\n/))
        #expect(text[preamble.range.upperBound...] == example.blocks, "\(example)")
      }
    }
  }
}
