import Dispatch
import HTTPSignals
import HTTPTypes
import Signals
import Logging
import TestSupport
import Testing

@testable import Microhttpd

/// The log lines about rejections.
@Suite struct RejectionLogTests {
  private let recorder = LogRecorder()

  @Test func `logs the first rejection and then one count per minute`() {
    let time = Lock<Duration>(.zero)
    let log = RejectionLog(logger: recorder.logger(), now: { time.withLock { $0 } })
    for _ in 0...4711 { log.count(.malformedRequest) }
    log.logSummaries()
    time.withLock { $0 = .seconds(60) }
    log.logSummaries()
    log.logSummaries()
    #expect(
      recorder.lines == [
        .init(
          level: .info, message: "malformed requests: 1, further ones are reported once a minute",
          metadata: ""),
        .init(level: .info, message: "malformed requests: 4,711 in the last minute", metadata: ""),
      ]
    )
  }

  @Test(
    arguments: [
      (1, "1"), (999, "999"), (1000, "1,000"), (123_456, "123,456"), (1_234_567, "1,234,567"),
    ]
  )
  func `groups the digits of a rejection count by thousands`(_ count: Int, _ text: String) {
    let time = Lock<Duration>(.zero)
    let log = RejectionLog(logger: recorder.logger(), now: { time.withLock { $0 } })
    for _ in 0...count { log.count(.forbidden) }
    time.withLock { $0 = .seconds(60) }
    log.logSummaries()
    #expect(recorder.lines.last?.message == "responses with 403: \(text) in the last minute")
  }

  @Test func `counts every rejection that concurrent threads report`() {
    let time = Lock<Duration>(.zero)
    let log = RejectionLog(logger: recorder.logger(), now: { time.withLock { $0 } })
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<1000 { log.count(.unavailable) }
    }
    time.withLock { $0 = .seconds(60) }
    DispatchQueue.concurrentPerform(iterations: 8) { _ in log.logSummaries() }
    #expect(
      recorder.lines.map(\.message) == [
        "responses with 503: 1, further ones are reported once a minute",
        "responses with 503: 7,999 in the last minute",
      ]
    )
  }

  // MARK: Rejections that a daemon counts

  /// Runs a test with a daemon that responds with a status.
  ///
  /// - Returns: The lines that the daemon logs at level `info` or above.
  private func lines(
    loops: Int = 1, configure: @escaping (inout DaemonOptions) -> Void = { _ in },
    status: HTTPResponse.Status = .ok, test: (TestServer) async throws -> Void
  ) async throws -> [LogRecorder.Line] {
    let recorder = recorder
    try await TestServer.run(
      loops: loops,
      configure: {
        $0.logger = recorder.logger(.info)
        configure(&$0)
      },
      handler: { $0.respond(.text("", status: status)) },
      test: test
    )
    return recorder.lines
  }

  @Test(
    arguments: [
      ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\n", "by libmicrohttpd"),
      ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\n", "by libmicrohttpd"),
      ("GET / HTTP/1.1\r\n\r\n", "by this server or libmicrohttpd"),
      ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "by this server"),
    ]
  )
  func `a daemon logs one line for any number of malformed requests`(
    _ request: String, _ rejected: String
  ) async throws {
    let lines = try await lines(loops: 2) { server in
      for _ in 0..<50 {
        let client = try server.connect()
        try client.send(request)
        #expect(try client.readHead().status == 400)
      }
    }
    #expect(lines.count == 1, "\(rejected): \(lines)")
    #expect(lines.first?.level == .info)
    #expect(lines.first?.message.hasPrefix("malformed requests: 1,") == true)
  }

  @Test(
    arguments: [
      (.forbidden, "responses with 403"), (.tooManyRequests, "responses with 429"),
      (.serviceUnavailable, "responses with 503"),
    ] as [(HTTPResponse.Status, String)]
  )
  func `a daemon logs one line for any number of responses with 403, 429, or 503`(
    _ status: HTTPResponse.Status, _ subject: String
  ) async throws {
    let lines = try await lines(loops: 2, status: status) { server in
      for _ in 0..<50 {
        let response = try server.get("/secret")
        #expect(response.status == status.code)
      }
    }
    #expect(lines.map(\.message) == ["\(subject): 1, further ones are reported once a minute"])
  }

  @Test(arguments: [HTTPResponse.Status.ok, .notFound, .conflict, .unprocessableContent])
  func `a daemon does not log responses with 200, 404, 409, or 422`(
    _ status: HTTPResponse.Status
  )
    async throws
  {
    let lines = try await lines(status: status) { server in
      for _ in 0..<5 {
        let response = try server.get("/")
        #expect(response.status == status.code)
      }
    }
    #expect(lines == [])
  }

  @Test func `a daemon logs one line for any number of connections over the limit`() async throws {
    let lines = try await lines(configure: { $0.connections.maximum = 1 }) { server in
      let staying = try server.connect()
      try staying.request("GET", "/")
      #expect(try staying.readResponse().status == 200)
      for _ in 0..<50 {
        let newcomer = try server.connect()
        #expect(try newcomer.readHead().status == 503)
      }
    }
    #expect(
      lines.map(\.message) == [
        "connections over the limit: 1, further ones are reported once a minute"
      ]
    )
  }

  @Test func `a daemon logs one line for any number of event streams over the limit`() async throws
  {
    let log = EventLog(capacity: 8)
    let recorder = recorder
    try await TestServer.run(
      configure: {
        $0.logger = recorder.logger(.info)
        $0.streams.maximum = 0
      },
      handler: { $0.respond(EventStream(log: log, from: log.head).response) },
      test: { server in
        for _ in 0..<20 { #expect(try server.get("/").status == 503) }
        let client = try server.connect()
        try client.request("GET", "/", fields: ["Accept: text/event-stream"])
        #expect(try client.readResponse().status == 200)
      }
    )
    #expect(
      recorder.lines.map(\.message) == [
        "event streams over the limit: 1, further ones are reported once a minute"
      ]
    )
  }

  @Test func `a daemon does not log clients that disconnect in the middle of a request`()
    async throws
  {
    let lines = try await lines { server in
      let post = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\na"
      for part in ["G", "GET / HTTP/1.1\r\n", post] {
        for _ in 0..<5 {
          let client = try server.connect()
          try client.send(part)
          try client.reset()
        }
      }
      #expect(try server.get("/").status == 200)
    }
    #expect(lines == [])
  }
}
