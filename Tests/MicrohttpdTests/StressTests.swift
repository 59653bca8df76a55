import Dispatch
import HTTPSignals
import HTTPTypes
import Signals
import Microhttpd
import Testing
import TestSupport

/// A bounded number of concurrent streams and requests, after which nothing stays open.
@Suite struct StressTests {
  private static let streamLimit = 64

  @Test(arguments: TestWire.withLoops)
  func `streams opened and closed during concurrent POST requests leave nothing open`(
    _ loops: Int, _ wire: TestWire
  ) async throws {
    let log = EventLog(capacity: 256)
    let handler: @Sendable (Exchange) -> Void = { exchange in
      if exchange.request.method == .get {
        exchange.respond(EventStream(log: log, from: log.head).response)
        return
      }
      DispatchQueue.global().async {
        log.append(count: 1, padding: 200)
        exchange.respond(.text(String(decoding: exchange.request.body, as: UTF8.self)))
      }
    }
    try await TestServer.run(
      loops: loops,
      over: wire,
      configure: {
        $0.streams.maximum = Self.streamLimit
        $0.streams.heartbeat = .milliseconds(80)
      },
      handler: handler
    ) { server in
      let failures = Lock<[String]>([])
      DispatchQueue.concurrentPerform(iterations: 8) { worker in
        do {
          try Self.work(worker, with: server)
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
      }
      #expect(failures.withLock { $0 } == [])

      // The whole stream limit is available again, and nothing beyond it.
      var clients: [Client] = []
      for _ in 0..<Self.streamLimit {
        clients.append(try eventually { try Self.stream(from: server) })
      }
      #expect(try Self.stream(from: server) === nil)

      // No other stream counts as open, so the drain ends with these streams.
      log.finish()
      let time = await ContinuousClock().measure {
        await server.daemon.stop(drain: .seconds(60))
      }
      #expect(time < .seconds(30))
    }
  }

  private static func work(_ worker: Int, with server: TestServer) throws {
    let client = try server.connect()
    for turn in 0..<60 {
      let stream = try server.connect()
      try stream.request("GET", "/", fields: ["Accept: text/event-stream"])
      let head = try stream.readHead()
      guard head.status == 200 else { throw TestSystemError.malformed("\(head.status)") }
      let body = "\(worker)-\(turn)"
      try client.request("POST", "/", body: body)
      let response = try client.readResponse()
      guard response.text == body else { throw TestSystemError.malformed(response.text) }
      switch turn % 3 {
      case 0: try stream.reset()
      case 1: stream.close()
      default:
        // The POST followed the stream's head, so its event arrives unless the stream was rejected.
        _ = try stream.readEvent()
      }
    }
  }

  /// Opens a stream and reads its preamble.
  ///
  /// - Returns: The connection; `nil` when the server is at its stream limit.
  private static func stream(from server: TestServer) throws -> Client? {
    let client = try server.connect()
    try client.request("GET", "/", fields: ["Accept: text/event-stream"])
    _ = try client.readHead()
    _ = try client.readEventLine()
    return try client.readEventLine() == ": ok" ? client : nil
  }
}
