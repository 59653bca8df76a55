import HTTPSignals
import HTTPTypes
import Microhttpd
import Testing
import TestSupport

/// A client that stops reading: its cost is bounded, and no other client waits for it.
@Suite struct SlowReaderTests {
  private static let eventCount = 300

  /// The events, about a thousand bytes each, exceed what the kernel and the log hold.
  @Test(arguments: TestWire.withLoops)
  func `a stream whose client stops reading ends cleanly, and others get every event`(
    _ loops: Int, _ wire: TestWire
  ) async throws {
    let log = EventLog(capacity: 64)
    let handler: @Sendable (Exchange) -> Void = { exchange in
      let position = exchange.request.query.first(.from).flatMap { UInt64($0) }
      exchange.respond(EventStream(log: log, from: position ?? log.head).response)
    }
    try await TestServer.run(loops: loops, over: wire, handler: handler) { server in
      let slow = try server.connect(receiveBufferBytes: 4096)
      let fast = try (0..<3).map { _ in try server.connect() }
      for client in fast + [slow] {
        try client.request("GET", "/")
        #expect(try client.readHead().status == 200)
      }
      // Append in parts: the kernel gives up on a client that reads nothing for half a minute.
      for first in stride(from: 1, through: Self.eventCount, by: 20) {
        log.append(count: 20, padding: 900)
        for client in fast {
          for number in first..<first + 20 {
            let event = try client.readEvent()
            try #require(event?.id == "test-\(number)")
          }
        }
      }

      // The slow client gets whole blocks in order up to where it fell behind, then the end: only a
      // part of the events.
      var last = 0
      while let event = try slow.readEvent() {
        last += 1
        try #require(event.id == "test-\(last)")
      }
      #expect(last > 0)
      #expect(last < 200)

      // The client reconnects and resumes with the oldest event that the log still has.
      let resumed = try server.connect()
      try resumed.request("GET", "/?from=\(log.oldest)")
      #expect(try resumed.readHead().status == 200)
      for number in Int(log.oldest)...Self.eventCount {
        #expect(try resumed.readEvent()?.id == "test-\(number)")
      }
    }
  }

  @Test func `a client that stops reading delays neither responses nor stopping`() async throws {
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
