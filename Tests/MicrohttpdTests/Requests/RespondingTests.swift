import Dispatch
import HTTPSignals
import Signals
import Testing
import TestSupport

/// Responding to an exchange: from which thread, when, and how often.
@Suite struct RespondingTests {
  @Test(arguments: [1, 3]) func `a handler can respond before it returns`(_ loops: Int) async throws
  {
    try await TestServer.run(loops: loops, handler: { $0.respond(.text($0.request.path)) }) {
      server in
      for _ in 0..<8 {
        let response = try server.get("/within")
        #expect(response.status == 200)
        #expect(response.text == "/within")
        #expect(response["Content-Length"] == "7")
        #expect(response["X-Content-Type-Options"] == "nosniff")
        #expect(response["Connection"] == nil)
      }
    }
  }

  @Test(arguments: [1, 3])
  func `another thread can respond, even before the handler returns`(_ loops: Int) async throws {
    let handler: @Sendable (Exchange) -> Void = { exchange in
      DispatchQueue.global().async { exchange.respond(.text(exchange.request.path)) }
    }
    try await TestServer.run(loops: loops, handler: handler) { server in
      let client = try server.connect()
      for number in 0..<200 {
        try client.request("GET", "/\(number)")
        let response = try client.readResponse()
        #expect(response.text == "/\(number)")
        #expect(response["Connection"] == nil)
      }
    }
  }

  @Test(arguments: [1, 3])
  func `other requests get responses while an exchange waits for its own`(_ loops: Int) async throws
  {
    let waiting = Lock<[Exchange]>([])
    let hasArrived = Expectation()
    let handler: @Sendable (Exchange) -> Void = { exchange in
      guard exchange.request.path == "/later" else {
        exchange.respond(.text("now"))
        return
      }
      waiting.withLock { $0.append(exchange) }
      hasArrived.fulfill()
    }
    try await TestServer.run(loops: loops, handler: handler) { server in
      let clients = try (0..<5).map { _ in try server.connect() }
      for client in clients {
        try client.request("GET", "/later")
        try hasArrived.wait()
      }
      #expect(try server.get("/now").text == "now")
      for exchange in waiting.withLock({ $0 }).reversed() { exchange.respond(.text("later")) }
      for client in clients { #expect(try client.readResponse().text == "later") }
      for client in clients {
        try client.request("GET", "/now")
        #expect(try client.readResponse().text == "now")
      }
    }
  }

  /// Nothing else wakes the loop, so resuming a connection must wake it.
  @Test func `the handler of one exchange can respond to another exchange`() async throws {
    let waiting = Lock<Exchange?>(nil)
    let handler: @Sendable (Exchange) -> Void = { exchange in
      let other = waiting.withLock { waiting in
        defer { waiting = waiting == nil ? exchange : nil }
        return waiting
      }
      guard let other else { return }
      other.respond(.text("first"))
      exchange.respond(.text("second"))
    }
    try await TestServer.run(handler: handler) { server in
      let first = try server.connect()
      let second = try server.connect()
      for _ in 0..<20 {
        try first.request("GET", "/")
        // The requests may reach the handler in either order; the later one responds to both.
        try second.request("GET", "/")
        let responses = [try first.readResponse().text, try second.readResponse().text]
        #expect(responses.sorted() == ["first", "second"])
      }
    }
  }

  @Test func `only the first response is sent`() async throws {
    let handler: @Sendable (Exchange) -> Void = { exchange in
      exchange.respond(.text("first"))
      exchange.respond(.text("second"))
      DispatchQueue.global().async { exchange.respond(.text("third")) }
    }
    try await TestServer.run(handler: handler) { server in
      let client = try server.connect()
      for _ in 0..<20 {
        try client.request("GET", "/")
        #expect(try client.readResponse().text == "first")
      }
    }
  }

  @Test func `only one of many concurrent responses wins`() async throws {
    let handler: @Sendable (Exchange) -> Void = { exchange in
      DispatchQueue.global().async {
        DispatchQueue.concurrentPerform(iterations: 8) { exchange.respond(.text("\($0)")) }
      }
    }
    try await TestServer.run(handler: handler) { server in
      let client = try server.connect()
      for _ in 0..<100 {
        try client.request("GET", "/")
        #expect(try client.readResponse().text.utf8.count == 1)
      }
    }
  }

  @Test func `an exchange released without a response sends 500`() async throws {
    let retained = Lock<[Exchange]>([])
    let hasArrived = Expectation()
    let handler: @Sendable (Exchange) -> Void = { exchange in
      guard exchange.request.path == "/later" else { return }
      retained.withLock { $0.append(exchange) }
      hasArrived.fulfill()
    }
    try await TestServer.run(handler: handler) { server in
      let client = try server.connect()
      try client.request("GET", "/at-once")
      let response = try client.readResponse()
      #expect(response.status == 500)
      #expect(response["Content-Type"] == "application/problem+json")
      #expect(response["Connection"] == nil)

      try client.request("GET", "/later")
      try hasArrived.wait()
      retained.withLock { $0.removeAll() }
      #expect(try client.readResponse().status == 500)
    }
  }

  @Test func `a response to a disconnected client does not affect other clients`() async throws {
    let waiting = Lock<[Exchange]>([])
    let hasArrived = Expectation()
    let handler: @Sendable (Exchange) -> Void = { exchange in
      guard exchange.request.path == "/later" else {
        exchange.respond(.text("now"))
        return
      }
      waiting.withLock { $0.append(exchange) }
      hasArrived.fulfill()
    }
    try await TestServer.run(handler: handler) { server in
      for _ in 0..<10 {
        let client = try server.connect()
        try client.request("GET", "/later")
        try hasArrived.wait()
        try client.reset()
      }
      for exchange in waiting.withLock({ $0 }) { exchange.respond(.text("too late")) }
      #expect(try server.get("/now").text == "now")
    }
  }
}
