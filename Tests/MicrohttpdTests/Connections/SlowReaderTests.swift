import HTTPSignals
import Microhttpd
import Testing
import TestSupport

/// A reader that does not read: it costs a bounded amount, and nobody else waits for it.
@Suite struct SlowReaderTests {
  private static let eventCount = 300

  /// Events of about a thousand bytes, more than the kernel and the log hold.
  @Test(arguments: TestWire.withLoops)
  func `a reader that stops is cut cleanly, and others get all`(
    _ loops: Int,
    _ wire: TestWire
  ) async throws {
    let log = EventLog(capacity: 64)
    let handler: @Sendable (Exchange) -> Void = { exchange in
      let position = exchange.request.query.first("from").flatMap { UInt64($0) }
      exchange.respond(EventStream(log: log, from: position ?? log.head).response)
    }
    try await TestServer.run(loops: loops, over: wire, handler: handler) { server in
      let slow = try server.connect(receiveBufferBytes: 4096)
      let fast = try (0..<3).map { _ in try server.connect() }
      for client in fast + [slow] {
        try client.request("GET", "/")
        #expect(try client.readHead().status == 200)
      }
      // In parts, since the kernel gives up on the slow one when it takes nothing for half a minute.
      for first in stride(from: 1, through: Self.eventCount, by: 20) {
        log.append(count: 20, padding: 900)
        for client in fast {
          for number in first..<first + 20 {
            let event = try client.readEvent()
            try #require(event?.id == "test-\(number)")
          }
        }
      }

      // What it was sent before it fell behind, whole blocks in order, then the end; a part of it all.
      var last = 0
      while let event = try slow.readEvent() {
        last += 1
        try #require(event.id == "test-\(last)")
      }
      #expect(last > 0)
      #expect(last < 200)

      // It comes back, and goes on with what is still there.
      let healed = try server.connect()
      try healed.request("GET", "/?from=\(log.oldest)")
      #expect(try healed.readHead().status == 200)
      for number in Int(log.oldest)...Self.eventCount {
        #expect(try healed.readEvent()?.id == "test-\(number)")
      }
    }
  }

  @Test func `a reader that stops holds up neither answers nor the stop`() async throws {
    let log = EventLog(capacity: 64)
    let handler: @Sendable (Exchange) -> Void = { exchange in
      if exchange.request.path == "/events" {
        exchange.respond(EventStream(log: log, from: log.head).response)
      } else {
        exchange.respond(.text("now"))
      }
    }
    try await TestServer.run(handler: handler) { server in
      let slow = try server.connect(receiveBufferBytes: 4096)
      try slow.request("GET", "/events")
      #expect(try slow.readHead().status == 200)
      let client = try server.connect()
      for _ in 0..<50 {
        log.append(count: 10, padding: 900)
        try client.request("GET", "/")
        #expect(try client.readResponse().text == "now")
      }
      let clock = ContinuousClock()
      let time = await clock.measure { await server.daemon.stop(drain: .milliseconds(100)) }
      #expect(time < .seconds(5))
    }
  }
}
