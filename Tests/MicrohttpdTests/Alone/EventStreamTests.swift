import Dispatch
import HTTPSignals
import HTTPTypes
import Signals
import Logging
import Microhttpd
import Testing
import TestSupport

/// Event streams as a client receives them.
@Suite struct EventStreamTests {
  private func streaming(_ log: EventLog) -> @Sendable (Exchange) -> Void {
    { $0.respond(EventStream(log: log, from: log.oldest).response) }
  }

  /// Opens a stream and reads its head and its preamble.
  private func open(_ server: TestServer, _ path: String = "/") throws -> Client {
    let client = try server.connect()
    try client.request("GET", path)
    #expect(try client.readHead().status == 200)
    #expect(try client.readEventLine()?.hasPrefix("retry: ") == true)
    #expect(try client.readEventLine() == ": ok")
    return client
  }

  @Test(arguments: TestWire.withLoops)
  func `a stream sends its head and preamble before any event`(
    _ loops: Int, _ wire: TestWire
  ) async throws {
    let log = EventLog(capacity: 8)
    try await TestServer.run(loops: loops, over: wire, handler: streaming(log)) { server in
      let client = try server.connect()
      try client.request("GET", "/", fields: ["Accept-Encoding: gzip, br"])
      let head = try client.readHead()
      #expect(head.status == 200)
      #expect(head["Content-Type"] == "text/event-stream")
      #expect(head["Content-Encoding"] == nil)
      #expect(head["Cache-Control"] == "no-store, no-transform")
      #expect(head["X-Accel-Buffering"] == "no")
      #expect(head["X-Content-Type-Options"] == "nosniff")
      #expect(head["Vary"] == "Origin")
      #expect(head["Transfer-Encoding"] == "chunked")
      #expect(head["Content-Length"] == nil)
      // After a takeover the daemon reads no further request from the socket.
      #expect(head["Connection"] == "close")
      let piece = try #require(try client.readBody())
      let preamble = String(decoding: piece, as: UTF8.self)
      let parts = try #require(preamble.wholeMatch(of: /retry: (\d{4})\n: ok\n/))
      let retry = try #require(Int(parts.1))
      #expect((2000...5000).contains(retry))
    }
  }

  @Test(arguments: TestWire.withLoops)
  func `every client gets all events in order, in chunks of whole blocks`(
    _ loops: Int, _ wire: TestWire
  ) async throws {
    let log = EventLog(capacity: 4096)
    log.append(count: 5)
    try await TestServer.run(loops: loops, over: wire, handler: streaming(log)) { server in
      let clients = try (0..<4).map { _ in try open(server) }
      DispatchQueue.global().async {
        for _ in 0..<100 { log.append(count: 10, padding: 300) }
      }
      // Read from the clients in turn, so that none of them counts as stalled.
      var next = [UInt64](repeating: 1, count: clients.count)
      while next.contains(where: { $0 <= 1005 }) {
        for (index, client) in clients.enumerated() where next[index] <= 1005 {
          var chunk = try #require(try client.readBody())[...]
          while !chunk.isEmpty {
            let number = next[index]
            let block = ServerSentEvent(number: number, padding: number > 5 ? 300 : 0).block
            try #require(chunk.starts(with: block))
            chunk = chunk.dropFirst(block.count)
            next[index] += 1
          }
        }
      }
    }
  }

  @Test(arguments: TestWire.streaming)
  func `an event that the handler of another request appends arrives immediately`(
    _ wire: TestWire
  ) async throws {
    let log = EventLog(capacity: 64)
    let handler: @Sendable (Exchange) -> Void = { exchange in
      if exchange.request.method == .post {
        log.append(count: 1)
        exchange.respond(.text(""))
      } else {
        exchange.respond(EventStream(log: log, from: log.head).response)
      }
    }
    try await TestServer.run(over: wire, handler: handler) { server in
      let stream = try open(server)
      let client = try server.connect()
      for number in 1...20 {
        try client.request("POST", "/", body: "")
        #expect(try client.readResponse().status == 200)
        #expect(try stream.readEvent()?.id == "test-\(number)")
      }
    }
  }

  @Test(arguments: TestWire.streaming)
  func `the opening event of a stream precedes all others`(_ wire: TestWire) async throws {
    let log = EventLog(capacity: 8)
    log.append(count: 1)
    let opening = ServerSentEvent(number: 0)
    try await TestServer.run(
      over: wire, handler: { $0.respond(EventStream(log: log, from: 1, opening: opening).response) }
    ) { server in
      let client = try open(server)
      #expect(try client.readEvent()?.id == "test-0")
      #expect(try client.readEvent()?.id == "test-1")
    }
  }

  @Test(arguments: TestWire.streaming)
  func `a silent stream gets keep-alive comments without a blank line`(
    _ wire: TestWire
  ) async throws {
    try await runSilentStream(of: "/", over: wire) { client, log in
      for _ in 0..<5 {
        let piece = try client.readBody()
        #expect(piece.map { String(decoding: $0, as: UTF8.self) } == ":\n")
      }
      log.append(count: 1)
      var line = try client.readEventLine()
      while line == ":" { line = try client.readEventLine() }
      #expect(line == "id: test-1")
    }
  }

  @Test(arguments: TestWire.streaming)
  func `a page that asks for pings gets them as events, which do not move its position`(
    _ wire: TestWire
  ) async throws {
    try await runSilentStream(of: "/?ping=", over: wire) { client, log in
      for _ in 0..<3 {
        #expect(try client.readEvent()?.lines == ["event: ping", "data: {}"])
      }
      log.append(count: 1)
      var event = try client.readEvent()
      while event?.event == "ping" { event = try client.readEvent() }
      #expect(event?.id == "test-1")
    }
  }

  /// Opens a stream whose log has no events yet, and that has many heartbeats.
  private func runSilentStream(
    of target: String, over wire: TestWire, _ test: (Client, EventLog) throws -> Void
  ) async throws {
    let log = EventLog(capacity: 8)
    try await TestServer.run(
      over: wire, configure: { $0.streams.heartbeat = .milliseconds(20) }, handler: streaming(log)
    ) { server in
      try test(try open(server, target), log)
    }
  }

  @Test(arguments: TestWire.withLoops)
  func `the streams of a finished log end cleanly within three seconds`(
    _ loops: Int, _ wire: TestWire
  ) async throws {
    let log = EventLog(capacity: 8)
    log.append(count: 2)
    try await TestServer.run(loops: loops, over: wire, handler: streaming(log)) { server in
      let open = try open(server)
      #expect(try open.readEvent()?.id == "test-1")
      #expect(try open.readEvent()?.id == "test-2")
      log.finish()
      let end = ContinuousClock.now + .seconds(3)
      // A stream opened after the log has finished gets every event, then the end.
      let late = try self.open(server)
      #expect(try late.readEvent()?.id == "test-1")
      #expect(try late.readEvent()?.id == "test-2")
      for client in [open, late] {
        // `nil` is the empty chunk; a connection closed without it would throw.
        #expect(try client.readEvent(within: end - .now) == nil)
        #expect(try client.readToEnd().isEmpty)
        #expect(client.hasReceivedEnd == (wire == .secure))
      }
    }
  }

  @Test(arguments: [false, true], TestWire.streaming)
  func `a client that disconnects ends the subscription of its stream`(
    _ resets: Bool, _ wire: TestWire
  ) async throws {
    let isSubscribed = Expectation()
    let isDisposed = Expectation()
    let events = Signal<ServerSentEvent, Never> { _ in
      isSubscribed.fulfill()
      return AnyDisposable { isDisposed.fulfill() }
    }
    try await TestServer.run(
      over: wire, configure: { $0.streams.heartbeat = .milliseconds(20) },
      handler: { $0.respond(EventStream(events).response) }
    ) { server in
      for _ in 0..<3 {
        let client = try open(server)
        try isSubscribed.wait()
        if resets { try client.reset() } else { client.close() }
        try isDisposed.wait()
      }
    }
  }

  @Test(arguments: TestWire.streaming)
  func `a stream of a signal ends when the signal completes`(_ wire: TestWire) async throws {
    let events = ReplaySubject<ServerSentEvent, Never>()
    for number: UInt64 in 1...3 { events.send(ServerSentEvent(number: number)) }
    events.complete()
    try await TestServer.run(
      over: wire, handler: { $0.respond(EventStream(events.signal).response) }
    ) { server in
      let client = try open(server)
      for number in 1...3 { #expect(try client.readEvent()?.id == "test-\(number)") }
      #expect(try client.readEvent() == nil)
    }
  }

  @Test(arguments: ["HTTP/1.1", "HTTP/1.0"], TestWire.streaming)
  func `a stream that ends cleanly logs nothing`(_ version: String, _ wire: TestWire) async throws {
    let log = EventLog(capacity: 8)
    log.append(count: 1)
    log.finish()
    let recorder = LogRecorder()
    try await TestServer.run(
      over: wire,
      configure: {
        $0.logger = recorder.logger()
      },
      handler: streaming(log)
    ) { server in
      for _ in 0..<3 {
        let client = try server.connect()
        try client.send("GET / \(version)\r\nHost: localhost\r\n\r\n")
        #expect(try client.readHead().status == 200)
        #expect(try client.readEvent()?.id == "test-1")
        #expect(try client.readEvent() == nil)
      }
    }
    #expect(recorder.lines == [])
  }
}
