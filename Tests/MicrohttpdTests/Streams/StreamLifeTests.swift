import HTTPSignals
import HTTPTypes
import Signals
import Microhttpd
import Testing
import TestSupport

/// How long an event stream lasts, and what ends it.
@Suite struct StreamLifeTests {
  @Test(arguments: TestWire.allCases)
  func `every stream ends cleanly when its time is over, and goes on where it was`(
    _ wire: TestWire
  ) async throws {
    let log = EventLog(capacity: 8)
    let handler: @Sendable (Exchange) -> Void = { exchange in
      let position = exchange.request.query.first("from").flatMap { UInt64($0) }
      exchange.respond(EventStream(log: log, from: position ?? log.head).response)
    }
    try await TestServer.run(
      over: wire,
      configure: { $0.streamLifetime = .milliseconds(50) ... .milliseconds(100) },
      handler: handler
    ) { server in
      let clients = try (0..<5).map { _ in try server.connect() }
      for client in clients {
        try client.request("GET", "/")
        #expect(try client.readHead().status == 200)
      }
      for client in clients {
        // `nil` is the empty chunk; a cut would throw.
        #expect(try client.readEvent() == nil)
      }
      log.append(count: 1)
      let client = try server.connect()
      try client.request("GET", "/?from=1")
      #expect(try client.readHead().status == 200)
      #expect(try client.readEvent()?.id == "test-1")
    }
  }

  @Test func `a stream that is written to all the time ends as well`() async throws {
    let log = EventLog(capacity: 1024)
    try await TestServer.run(
      configure: { $0.streamLifetime = .milliseconds(100) ... .milliseconds(100) },
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

  @Test(arguments: TestWire.allCases)
  func `a client that takes nothing for too long is reset, and its signal disposed`(
    _ wire: TestWire
  ) async throws {
    let log = EventLog(capacity: 8192)
    let isGone = Expectation()
    try await TestServer.run(
      over: wire,
      configure: { $0.streamStall = .seconds(1) },
      handler: { exchange in
        let source = AnyDisposable { isGone.fulfill() }
        exchange.respond(EventStream(log: log, from: log.oldest, source: source).response)
      }
    ) { server in
      // More than the kernel holds for it, and all of it still in the log.
      log.append(count: 8000, padding: 900)
      let slow = try server.connect(receiveBufferBytes: 4096)
      try slow.request("GET", "/")
      #expect(try slow.readHead().status == 200)
      try isGone.wait()
      // The kernel keeps nothing for it: no connection without an owner, with all that was not read.
      let deadline = Deadline.soon
      while try server.isKnownToKernel(slow) { try #require(deadline.milliseconds > 0) }
      // What it was sent is in order, and not taken for all; the rest is still there for when it
      // comes back.
      var next: UInt64 = 1
      let end = #expect(throws: TestSystemError.self) {
        while let event = try slow.readEvent() {
          try #require(event.id == "test-\(next)")
          next += 1
        }
      }
      #expect(end != .closed, "a reset, not just an end")
      #expect(next < 4000)
    }
  }

  /// It takes some again and again, so that it never stalls.
  @Test(arguments: TestWire.allCases)
  func `a reader that is slow does not outlive its stream`(_ wire: TestWire) async throws {
    let log = EventLog(capacity: 8192)
    log.append(count: 8000, padding: 900)
    try await TestServer.run(
      over: wire,
      configure: {
        $0.streamLifetime = .milliseconds(50) ... .milliseconds(100)
        $0.streamStall = .seconds(1)
      },
      handler: { $0.respond(EventStream(log: log, from: log.oldest).response) }
    ) { server in
      let slow = try server.connect(receiveBufferBytes: 4096)
      try slow.request("GET", "/")
      #expect(try slow.readHead().status == 200)
      let deadline = Deadline(after: .seconds(8))
      let never = Expectation()
      var isOpen = true
      while isOpen {
        try #require(deadline.milliseconds > 0, "it is still open")
        isOpen = (try? slow.take(2048)) != nil
        // A pause.
        try? never.wait(by: Deadline(after: .milliseconds(50)))
      }
    }
  }

  /// HTTP/1.0, where only the end of the connection tells the end of the stream.
  @Test(arguments: TestWire.allCases, [true, false])
  func `a reader that stops never gets half an event and a clean end`(
    _ wire: TestWire,
    _ isStopped: Bool
  ) async throws {
    let log = EventLog(capacity: 8192)
    log.append(count: 8000, padding: 900)
    let isGone = Expectation()
    try await TestServer.run(
      over: wire,
      configure: { if !isStopped { $0.streamStall = .seconds(1) } },
      handler: { exchange in
        let source = AnyDisposable { isGone.fulfill() }
        exchange.respond(EventStream(log: log, from: log.oldest, source: source).response)
      }
    ) { server in
      let slow = try server.connect(receiveBufferBytes: 4096)
      try slow.send("GET / HTTP/1.0\r\n\r\n")
      #expect(try slow.readHead().status == 200)
      if isStopped { await server.daemon.stop(drain: .zero) }
      try isGone.wait()
      #expect(throws: TestSystemError.self) {
        while try slow.readEventLine() != nil {}
        // With TLS, an end that is not said is none.
        if server.wire.priorities != nil, !slow.hasReceivedEnd { throw TestSystemError.closed }
      }
    }
  }

  @Test(arguments: TestWire.allCases)
  func `a reader that is slow but reads gets everything`(
    _ wire: TestWire
  ) async throws {
    let log = EventLog(capacity: 8192)
    log.append(count: 500, padding: 900)
    try await TestServer.run(
      over: wire,
      handler: { $0.respond(EventStream(log: log, from: log.oldest).response) }
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
