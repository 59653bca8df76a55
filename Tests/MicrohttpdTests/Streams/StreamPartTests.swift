import HTTPSignals
import HTTPTypes
import Microhttpd
import Signals
import TestSupport
import Testing

/// Event streams over TLS 1.2, whose sockets cannot be taken over: a response has the events so far,
/// and the client reconnects.
@Suite struct StreamPartTests {
  private let log = EventLog(capacity: 500)

  /// Requests a stream, and returns its blocks without the preamble.
  private func part(_ client: Client, from position: Int) throws -> String {
    try client.request("GET", "/?from=\(position)")
    let response = try client.readResponse()
    #expect(response.status == 200)
    #expect(response["Content-Type"] == "text/event-stream")
    #expect(response["Transfer-Encoding"] == nil)
    let preamble = try #require(response.text.prefixMatch(of: /retry: [6-9]\d{3}\n: ok\n/))
    return String(response.text[preamble.range.upperBound...])
  }

  private func serve(
    _ makeStream: @escaping @Sendable (_ from: UInt64) -> EventStream,
    test: (TestServer) async throws -> Void
  ) async throws {
    let handler: @Sendable (Exchange) -> Void = { exchange in
      let from = exchange.request.query.first(.from).flatMap { UInt64($0) } ?? 1
      exchange.respond(makeStream(from).response)
    }
    try await TestServer.run(over: .secureInParts, handler: handler, test: test)
  }

  @Test func `has the events so far, and the next one those after it, on the same connection`()
    async throws
  {
    log.append(count: 2)
    try await serve { [log] in
      EventStream(log: log, from: $0)
    } test: { server in
      let client = try server.connect()
      let first = try part(client, from: 1)
      #expect(first.matches(of: /"number":(\d)/).map(\.1) == ["1", "2"])
      log.append(count: 1)
      let second = try part(client, from: 3)
      #expect(second.matches(of: /"number":(\d)/).map(\.1) == ["3"])
    }
  }

  @Test func `has at most 64 KiB, in whole blocks`() async throws {
    log.append(count: 200, padding: 1000)
    try await serve { [log] in
      EventStream(log: log, from: $0)
    } test: { server in
      let client = try server.connect()
      let text = try part(client, from: 1)
      #expect((60_000...65_536).contains(text.utf8.count))
      #expect(text.hasSuffix("\n\n"))
    }
  }

  @Test func `waits a moment for the first event`() async throws {
    try await serve { [log] in
      EventStream(log: log, from: $0)
    } test: { server in
      let client = try server.connect()
      try client.request("GET", "/?from=1")
      let scheduled = server.daemon.scheduler.schedule(after: .milliseconds(200)) {
        self.log.append(count: 1)
      }
      defer { scheduled.dispose() }
      #expect(try client.readResponse().text.hasSuffix("{\"number\":1}\n\n"))
    }
  }

  @Test func `without an event has the id from which the client resumes`() async throws {
    let id = ServerSentEvent.ID(epoch: .init("test"), position: 7)
    try await serve { [log] in
      EventStream(log: log, from: $0, firstID: id)
    } test: { server in
      let text = try part(server.connect(), from: 1)
      #expect(text == "id: test-7\n\n")
    }
  }

  @Test func `has the opening, and ends the subscription`() async throws {
    let isDisposed = Expectation()
    log.append(count: 1)
    try await serve { [log] from in
      EventStream(
        log: log, from: from, opening: ServerSentEvent(number: 77),
        source: AnyDisposable { isDisposed.fulfill() })
    } test: { server in
      let text = try part(server.connect(), from: 1)
      #expect(text.matches(of: /"number":(\d+)/).map(\.1) == ["77", "1"])
      try isDisposed.wait()
    }
  }

  @Test func `of a signal has what it sends, also later than the request`() async throws {
    let events = Subject<ServerSentEvent, Never>()
    let isSubscribed = Expectation()
    try await serve { _ in
      let stream = EventStream(events.signal)
      isSubscribed.fulfill()
      return stream
    } test: { server in
      let client = try server.connect()
      try client.request("GET", "/")
      try isSubscribed.wait()
      events.send(ServerSentEvent(number: 5))
      #expect(try client.readResponse().text.hasSuffix("{\"number\":5}\n\n"))
    }
  }

  @Test func `of a store has what the store says, which takes a moment`() async throws {
    try await serve { from in
      EventStream(window: 8, on: QueueScheduler.background) {
        Signal<Duration, Never>.timer(after: .milliseconds(50), on: QueueScheduler.background)
          .map { _ in .events([ServerSentEvent(number: from)]) }
      }
    } test: { server in
      let client = try server.connect()
      for number in 3...4 {
        // On a busy machine, it may take longer than the part waits; then the client comes back.
        try eventually {
          try part(client, from: number).hasSuffix("{\"number\":\(number)}\n\n")
        }
      }
    }
  }

  @Test(arguments: [Duration.zero, .seconds(5)])
  func `does not outlast the drain, and is no error then`(_ drain: Duration) async throws {
    let isRequested = Expectation()
    try await serve { [log] from in
      isRequested.fulfill()
      return EventStream(log: log, from: from)
    } test: { server in
      let client = try server.connect()
      try client.request("GET", "/?from=1")
      try isRequested.wait()
      await server.daemon.stop(drain: drain)
      #expect(try client.readResponse().status == 200)
    }
  }
}
