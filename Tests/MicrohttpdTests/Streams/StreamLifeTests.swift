import HTTPSignals
import HTTPTypes
import Signals
import Microhttpd
import Testing
import TestSupport

/// The lifetime of an event stream, and the reasons for its end.
@Suite struct StreamLifeTests {
  @Test(arguments: TestWire.streaming)
  func `a stream ends cleanly after its lifetime, and a new stream resumes it`(
    _ wire: TestWire
  ) async throws {
    let log = EventLog(capacity: 8)
    let handler: @Sendable (Exchange) -> Void = { exchange in
      let position = exchange.request.query.first(.from).flatMap { UInt64($0) }
      exchange.respond(EventStream(log: log, from: position ?? log.head).response)
    }
    try await TestServer.run(
      over: wire, configure: { $0.streams.lifetime = .milliseconds(50) ... .milliseconds(100) },
      handler: handler
    ) { server in
      let clients = try (0..<5).map { _ in try server.connect() }
      for client in clients {
        try client.request("GET", "/")
        #expect(try client.readHead().status == 200)
      }
      for client in clients {
        // `nil` is the empty chunk; a connection closed without it would throw.
        #expect(try client.readEvent() == nil)
      }
      log.append(count: 1)
      let client = try server.connect()
      try client.request("GET", "/?from=1")
      #expect(try client.readHead().status == 200)
      #expect(try client.readEvent()?.id == "test-1")
    }
  }

  @Test func `a stream that is written to continuously ends after its lifetime`() async throws {
    let log = EventLog(capacity: 1024)
    try await TestServer.run(
      configure: { $0.streams.lifetime = .milliseconds(100) ... .milliseconds(100) },
      handler: { $0.respond(EventStream(log: log, from: log.head).response) }
    ) { server in
      let client = try server.connect()
      try client.request("GET", "/")
      #expect(try client.readHead().status == 200)
      var next: UInt64 = 1
      while true {
        log.append(count: 1)
        guard let event = try client.readEvent() else { break }
        try #require(event.id == "test-\(next)")
        next += 1
      }
    }
  }

  @Test(arguments: TestWire.streaming)
  func `a client that stops reading is reset, and its stream ends its subscription`(
    _ wire: TestWire
  ) async throws {
    let log = EventLog(capacity: 8192)
    let isDisposed = Expectation()
    try await TestServer.run(
      over: wire,
      configure: { $0.streams.stall = .seconds(1) },
      handler: { exchange in
        let source = AnyDisposable { isDisposed.fulfill() }
        exchange.respond(EventStream(log: log, from: log.oldest, source: source).response)
      }
    ) { server in
      // More than the kernel buffers for the client; the log still has all of it.
      log.append(count: 8000, padding: 900)
      let slow = try server.connect(receiveBufferBytes: 4096)
      try slow.request("GET", "/")
      #expect(try slow.readHead().status == 200)
      try isDisposed.wait()
      // The kernel keeps no orphaned connection that buffers the unread bytes.
      try eventually { try !server.isKnownToKernel(slow) }
      // The events that arrived are in order, and the reset shows that more exist; the log still
      // has the rest for a client that reconnects.
      var next: UInt64 = 1
      let end = #expect(throws: TestSystemError.self) {
        while let event = try slow.readEvent() {
          try #require(event.id == "test-\(next)")
          next += 1
        }
      }
      #expect(end != .closed, "expected a reset instead of an orderly close")
      #expect(next < 4000)
    }
  }

  /// The client keeps reading a little, so it never counts as stalled.
  @Test(arguments: TestWire.streaming)
  func `a slow client does not keep its stream open beyond its lifetime`(
    _ wire: TestWire
  )
    async throws
  {
    let log = EventLog(capacity: 8192)
    log.append(count: 8000, padding: 900)
    try await TestServer.run(
      over: wire,
      configure: {
        $0.streams.lifetime = .milliseconds(50) ... .milliseconds(100)
        $0.streams.stall = .seconds(1)
      },
      handler: { $0.respond(EventStream(log: log, from: log.oldest).response) }
    ) { server in
      let slow = try server.connect(receiveBufferBytes: 4096)
      try slow.request("GET", "/")
      #expect(try slow.readHead().status == 200)
      let end = ContinuousClock.now + .seconds(8)
      var isOpen = true
      while isOpen {
        try #require(ContinuousClock.now < end, "the stream is still open")
        isOpen = (try? slow.take(2048)) != nil
        pause(.milliseconds(50))
      }
    }
  }

  /// With HTTP/1.0 only the end of the connection marks the end of the stream.
  @Test(arguments: TestWire.streaming, [true, false])
  func `a client that stops reading never gets a partial event followed by a clean end`(
    _ wire: TestWire, _ isStopped: Bool
  ) async throws {
    let log = EventLog(capacity: 8192)
    log.append(count: 8000, padding: 900)
    let isDisposed = Expectation()
    try await TestServer.run(
      over: wire,
      configure: { if !isStopped { $0.streams.stall = .seconds(1) } },
      handler: { exchange in
        let source = AnyDisposable { isDisposed.fulfill() }
        exchange.respond(EventStream(log: log, from: log.oldest, source: source).response)
      }
    ) { server in
      let slow = try server.connect(receiveBufferBytes: 4096)
      try slow.send("GET / HTTP/1.0\r\n\r\n")
      #expect(try slow.readHead().status == 200)
      if isStopped { await server.daemon.stop(drain: .zero) }
      try isDisposed.wait()
      #expect(throws: TestSystemError.self) {
        while try slow.readEventLine() != nil {}
        // With TLS, a close without the alert `close_notify` is not a clean end.
        if server.wire.priorities != nil, !slow.hasReceivedEnd { throw TestSystemError.closed }
      }
    }
  }

  @Test(arguments: TestWire.streaming)
  func `a slow client that keeps reading gets every event`(_ wire: TestWire) async throws {
    let log = EventLog(capacity: 8192)
    log.append(count: 500, padding: 900)
    try await TestServer.run(
      over: wire, handler: { $0.respond(EventStream(log: log, from: log.oldest).response) }
    ) { server in
      let slow = try server.connect(receiveBufferBytes: 4096)
      try slow.request("GET", "/")
      #expect(try slow.readHead().status == 200)
      for number in 1...500 {
        let event = try slow.readEvent()
        try #require(event?.id == "test-\(number)")
      }
      log.append(count: 1)
      #expect(try slow.readEvent()?.id == "test-501")
    }
  }
}
