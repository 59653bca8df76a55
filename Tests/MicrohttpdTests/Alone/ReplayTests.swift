import Glibc
import HTTPSignals
import Microhttpd
import Signals
import TestSupport
import Testing

/// A client that gets many old events while others wait for new ones.
@Suite struct ReplayTests {
  private static let eventCount: UInt64 = 1000

  /// The CPU time of the calling thread; the corresponding C function is `clock_gettime`.
  private static var threadTime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// A stream with more to send gives a turn to itself, not to all streams of its log.
  @Test func `a replay takes the stream thread no longer beside 300 idle streams`() async throws {
    let log = EventLog(capacity: Int(Self.eventCount))
    let times = Lock<[Duration]>([])
    // As long as a frame, so that the replay takes hundreds of turns.
    let event = ServerSentEvent(number: 1, padding: 16_000)
    for position in 1...Self.eventCount {
      log.append { _ in
        // Called on the stream thread, when the client is about to get the event.
        if position == 1 || position == Self.eventCount {
          times.withLock { $0.append(Self.threadTime) }
        }
        return event
      }
    }
    let handler: @Sendable (Exchange) -> Void = { exchange in
      let isReplay = exchange.request.path == "/replay"
      exchange.respond(EventStream(log: log, from: isReplay ? 1 : log.head).response)
    }
    try await TestServer.run(handler: handler) { server in
      func replayTime() throws -> Duration {
        let idleCount = server.daemon.streamCount
        let spans = try (0..<3).map { _ in
          times.withLock { $0 = [] }
          let client = try server.connect()
          try client.request("GET", "/replay")
          #expect(try client.readHead().status == 200)
          while times.withLock({ $0.count }) < 2 { _ = try client.readBody() }
          client.close()
          try eventually { server.daemon.streamCount == idleCount }
          return times.withLock { ($0.last ?? .zero) - ($0.first ?? .zero) }
        }
        return spans.min() ?? .zero
      }
      let alone = try replayTime()
      let idle = try (0..<300).map { _ in
        let client = try server.connect()
        try client.request("GET", "/idle")
        #expect(try client.readHead().status == 200)
        return client
      }
      // One round over all streams in each turn would take several times as long.
      #expect(try replayTime() < alone * 2)
      for client in idle { client.close() }
    }
  }
}
