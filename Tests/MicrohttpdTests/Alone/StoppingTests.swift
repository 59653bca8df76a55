import HTTPSignals
import Signals
import Microhttpd
import Platform
import Testing
import TestSupport

/// Stopping a daemon: the process survives, clients get a response, and the time is bounded.
@Suite struct StoppingTests {
  /// Responds to `/now`, retains exchanges for `/never`, and streams `/events`.
  private final class Handler: Sendable {
    let log = EventLog(capacity: 64)
    let hasArrived = Expectation()
    private let retained = Lock<[Exchange]>([])

    func handle(_ exchange: Exchange) {
      switch exchange.request.path {
      case "/events":
        exchange.respond(EventStream(log: log, from: log.head).response)
      case "/never":
        retained.withLock { $0.append(exchange) }
        hasArrived.fulfill()
      default:
        exchange.respond(.text("now"))
      }
    }

    /// Responds to every retained exchange.
    func respondToAll(_ response: Response = .text("late")) {
      for exchange in retained.withLock({ $0 }) { exchange.respond(response) }
    }
  }

  private func open(_ server: TestServer) throws -> Client {
    let client = try server.connect()
    try client.request("GET", "/events")
    #expect(try client.readHead().status == 200)
    #expect(try client.readEventLine()?.hasPrefix("retry: ") == true)
    #expect(try client.readEventLine() == ": ok")
    return client
  }

  @Test func `a stream whose request has ended before it opens ends its subscription`()
    async throws
  {
    let handler = Handler()
    let events = Subject<ServerSentEvent, Never>()
    let stream = EventStream(events.signal)
    try await TestServer.run(handler: handler.handle) { server in
      let client = try server.connect()
      try client.request("GET", "/never")
      try handler.hasArrived.wait()
      await server.daemon.stop(drain: .zero) { false }
      #expect(try client.readToEnd().isEmpty)
      handler.respondToAll(stream.response)
      events.send(ServerSentEvent(number: 1))
      #expect(stream.log.head == 1)
    }
  }

  @Test(arguments: TestWire.withLoops)
  func `stopping returns immediately when nothing is open, whatever the drain limit`(
    _ loops: Int, _ wire: TestWire
  ) async throws {
    let handler = Handler()
    try await TestServer.run(loops: loops, over: wire, handler: handler.handle) { server in
      // The daemon does not wait for connections without a request.
      let silent = try server.connect()
      let keptAlive = try server.connect()
      try keptAlive.request("GET", "/now")
      #expect(try keptAlive.readResponse().status == 200)
      let time = await ContinuousClock().measure {
        await server.daemon.stop(drain: .seconds(60))
      }
      #expect(time < .seconds(5))
      #expect(try keptAlive.readToEnd().isEmpty)
      #expect(try silent.readToEnd().isEmpty)
      #expect(throws: TestSystemError.self) { try server.get("/now") }
    }
  }

  @Test(arguments: TestWire.withLoops)
  func `stopping ends streams cleanly and sends 503 to waiting clients`(
    _ loops: Int, _ wire: TestWire
  ) async throws {
    let handler = Handler()
    try await TestServer.run(loops: loops, over: wire, handler: handler.handle) { server in
      let streams = try (0..<20).map { _ in try open(server) }
      let waiting = try (0..<20).map { _ in
        let client = try server.connect()
        try client.request("POST", "/never", body: "a=b")
        try handler.hasArrived.wait()
        return client
      }
      handler.log.append(count: 1)
      let time = await ContinuousClock().measure {
        await server.daemon.stop(drain: .milliseconds(300))
      }
      #expect(time < .seconds(5))
      for stream in streams {
        #expect(try stream.readEvent()?.id == "test-1")
        #expect(try stream.readEvent() == nil)
        #expect(try stream.readToEnd().isEmpty)
      }
      for client in waiting {
        let response = try client.readResponse()
        #expect(response.status == 503)
        #expect(response["Retry-After"] != nil)
        #expect(response["Connection"]?.lowercased() == "close")
        #expect(try client.readToEnd().isEmpty)
      }
      handler.respondToAll()
    }
  }

  @Test(arguments: TestWire.withLoops)
  func `stopping closes a connection without a response if the outcome of its request is unknown`(
    _ loops: Int, _ wire: TestWire
  ) async throws {
    let handler = Handler()
    try await TestServer.run(loops: loops, over: wire, handler: handler.handle) { server in
      let waiting = try (0..<10).map { _ in
        let client = try server.connect()
        try client.request("POST", "/never", body: "a=b")
        try handler.hasArrived.wait()
        return client
      }
      await server.daemon.stop(drain: .milliseconds(50)) { false }
      for client in waiting { #expect(throws: (any Error).self) { try client.readResponse() } }
      handler.respondToAll()
    }
  }

  @Test(arguments: [1, 3])
  func `a response sent while the daemon finishes its work reaches the client`(
    _ loops: Int
  ) async throws {
    let handler = Handler()
    try await TestServer.run(loops: loops, handler: handler.handle) { server in
      let clients = try (0..<10).map { _ in
        let client = try server.connect()
        try client.request("POST", "/never", body: "a=b")
        try handler.hasArrived.wait()
        return client
      }
      await server.daemon.stop(drain: .zero) {
        handler.respondToAll()
        return true
      }
      for client in clients { #expect(try client.readResponse().text == "late") }
    }
  }

  @Test(arguments: TestWire.streaming)
  func `streams end one by one in random order during the drain`(_ wire: TestWire) async throws {
    let handler = Handler()
    try await TestServer.run(over: wire, handler: handler.handle) { server in
      let order = Order()
      let isOpen = Expectation()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<24 {
          group.addTask {
            let stream = try open(server)
            let number = order.open()
            isOpen.fulfill()
            let event = try stream.readEvent()
            #expect(event == nil)
            order.end(number)
          }
        }
        for _ in 0..<24 { try isOpen.wait() }
        await server.daemon.stop(drain: .seconds(2))
        try await group.waitForAll()
      }
      #expect(Set(order.ended) == Set(0..<24))
      #expect(order.ended != Array(0..<24))
    }
  }

  @Test func `a draining daemon responds to requests, closes connections, and rejects streams`()
    async throws
  {
    let handler = Handler()
    try await TestServer.run(handler: handler.handle) { server in
      let waiting = try server.connect()
      try waiting.request("GET", "/never")
      try handler.hasArrived.wait()
      let stream = try open(server)
      // The drain ends when the request gets its response, before its limit.
      async let stop: Void = server.daemon.stop(drain: .seconds(10))
      // The stream ends within nine tenths of the drain; the last second is for a busy machine.
      #expect(try stream.readEvent() == nil)

      let late = try server.connect()
      try late.request("GET", "/now")
      let response = try late.readResponse()
      #expect(response.text == "now")
      #expect(response["Connection"]?.lowercased() == "close")
      let another = try server.connect()
      try another.request("GET", "/events", fields: ["Accept: text/event-stream"])
      #expect(try another.readResponse().text.hasSuffix("\n: busy\n"))
      handler.respondToAll()
      #expect(try waiting.readResponse().text == "late")
      await stop
    }
  }

  /// libmicrohttpd ends the process if a connection is still suspended when it stops.
  @Test func `a request completed while the daemon stops gets 503`() async throws {
    let handler = Handler()
    try await TestServer.run(handler: handler.handle) { server in
      let waiting = try server.connect()
      try waiting.request("GET", "/never")
      try handler.hasArrived.wait()
      let half = try server.connect()
      try half.send("POST /never HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\na")
      let another = try server.connect()
      try another.send("POST /now HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\na")
      async let stop: Void = server.daemon.stop(drain: .zero)
      #expect(try waiting.readResponse().status == 503)
      try half.send("b")
      #expect(try half.readResponse().status == 503)
      await stop
      #expect(try another.readToEnd().isEmpty)
    }
  }

  @Test(arguments: TestWire.withLoops)
  func `every client gets a complete response when responses and events race with stopping`(
    _ loops: Int, _ wire: TestWire
  ) async throws {
    for _ in 0..<10 {
      let handler = Handler()
      try await TestServer.run(loops: loops, over: wire, handler: handler.handle) {
        server in
        let streams = try (0..<4).map { _ in try open(server) }
        let clients = try (0..<8).map { _ in
          let client = try server.connect()
          try client.request("GET", "/never")
          try handler.hasArrived.wait()
          return client
        }
        async let responses: Void = handler.respondToAll()
        async let events: Void = handler.log.append(count: 200)
        await server.daemon.stop(drain: .milliseconds(1))
        _ = await (responses, events)
        for client in clients { #expect([200, 503].contains(try client.readResponse().status)) }
        for stream in streams { while try stream.readEvent() != nil {} }
      }
    }
  }

  @Test func `stopping returns for a daemon that has already stopped or never started`()
    async throws
  {
    let handler = Handler()
    try await TestServer.run(handler: handler.handle) { server in
      await server.daemon.stop(drain: .seconds(60))
      await server.daemon.stop(drain: .seconds(60))
    }
    let daemon = try Daemon(.test())
    await daemon.stop(drain: .seconds(60))
  }

  @Test func `a stopped daemon releases its handler before the drain limit has passed`()
    async throws
  {
    let isReleased = Expectation()
    func serveOnce() async throws {
      let witness = Witness(isReleased)
      let daemon = try Daemon(.test(loops: 2))
      for exchanges in daemon.exchanges { exchanges.subscribe(next: witness.handle) }
      try daemon.start()
      let client = try Client(port: daemon.port)
      try client.request("GET", "/")
      #expect(try client.readResponse().status == 200)
      await daemon.stop(drain: .seconds(3600))
    }
    try await serveOnce()
    try isReleased.wait()
  }

  @Test func `a stopped daemon frees its port`() async throws {
    let handler = Handler()
    for _ in 0..<10 {
      let port = Lock<UInt16>(0)
      try await TestServer.run(handler: handler.handle) { server in
        port.withLock { $0 = server.port }
        _ = try open(server)
      }
      var options = DaemonOptions.test()
      let address = HostAndPort(host: .v4(0x7F00_0001), port: port.withLock { $0 })
      options.endpoint = .address(.network(address))
      // Another test may have taken the port in the meantime, but not every time.
      if let daemon = try? Daemon(options) {
        await daemon.stop(drain: .zero)
        return
      }
    }
    Issue.record("the port was never free")
  }
}

/// A handler that fulfills an expectation when it is released.
private final class Witness: Sendable {
  private let isReleased: Expectation

  init(_ isReleased: Expectation) {
    self.isReleased = isReleased
  }

  deinit {
    isReleased.fulfill()
  }

  func handle(_ exchange: Exchange) {
    exchange.respond(.text("now"))
  }
}

/// A record of the order in which streams opened and ended.
private final class Order: Sendable {
  private let state = Lock<(count: Int, ended: [Int])>((0, []))

  var ended: [Int] { state.withLock { $0.ended } }

  func open() -> Int {
    state.withLock { state in
      defer { state.count += 1 }
      return state.count
    }
  }

  func end(_ number: Int) {
    state.withLock { $0.ended.append(number) }
  }
}
