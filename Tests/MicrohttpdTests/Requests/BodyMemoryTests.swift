import HTTPSignals
import TestSupport
import Testing

@testable import Microhttpd

/// The memory budget for request bodies that arrive in several parts.
@Suite struct BodyMemoryTests {
  /// Connects a client that sends the head and the first 4 KiB of an 8 KiB body.
  private func slowClient(of server: TestServer) throws -> Client {
    let client = try server.connect()
    let part = String(repeating: "x", count: 4096)
    try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 8192\r\n\r\n\(part)")
    return client
  }

  private func run(
    over wire: TestWire = .plain, _ test: (TestServer) async throws -> Void
  ) async throws {
    try await TestServer.run(
      over: wire, configure: { $0.requests.maximumBodyMemoryBytes = 32_768 },
      handler: { $0.respond(.text("\($0.request.body.count)")) }, test: test)
  }

  @Test func `slow bodies over the memory budget get 503, and bodies in one part are accepted`()
    async throws
  {
    try await run { server in
      var accepted: [Client] = []
      var rejected: [Client] = []
      for number in 0..<12 {
        let client = try slowClient(of: server)
        if number < 4 { accepted.append(client) } else { rejected.append(client) }
        // The response on another connection shows that the daemon has read the first part.
        #expect(try server.get("/").text == "0")
      }
      // Each body uses 4 KiB; memory for the rest is not reserved before it arrives.
      for client in rejected.suffix(4) {
        let response = try client.readResponse()
        #expect(response.status == 503)
        #expect(response["Retry-After"] == "5")
        #expect(response.text.contains("/problems/too-many-bodies"))
        #expect(try client.readToEnd().isEmpty)
      }
      let quick = try server.connect()
      try quick.request("POST", "/", body: String(repeating: "y", count: 1000))
      #expect(try quick.readResponse().text == "1000")
      for client in accepted { client.close() }
    }
  }

  /// Fills the budget with eight clients.
  private func fillBudget(of server: TestServer) throws -> [Client] {
    try (0..<8).map { _ in
      let client = try slowClient(of: server)
      // The response on another connection shows that the daemon has read the first part.
      #expect(try server.get("/").text == "0")
      return client
    }
  }

  /// Such a client is still sending, by definition.
  @Test(arguments: TestWire.streaming)
  func `a client whose body finds no memory gets 503, and is not reset while it goes on sending`(
    _ wire: TestWire
  ) async throws {
    try await run(over: wire) { server in
      let waiting = try fillBudget(of: server)
      let client = try slowClient(of: server)
      #expect(try client.readResponse().status == 503)
      for _ in 0..<3 {
        try client.send(String(repeating: "y", count: 1000))
        pause(.milliseconds(30))
      }
      #expect(try client.readToEnd().isEmpty)
      for client in waiting + [client] { client.close() }
      try eventually { server.daemon.connectionCount == 0 }
    }
  }

  @Test func `a flood of clients whose bodies find no memory leaves connections for others`()
    async throws
  {
    try await run { server in
      let waiting = try fillBudget(of: server)
      let rejected = try (0..<200).map { _ in try slowClient(of: server) }
      for client in rejected { #expect(try client.readResponse().status == 503) }
      // Those of the flood that linger, those that wait, and the last connection of `get`.
      let maximum = HTTPLoop.maximumLingering + waiting.count + 1
      #expect(try server.get("/").text == "0")
      #expect(server.daemon.connectionCount <= maximum)
      for client in waiting + rejected { client.close() }
    }
  }

  @Test(arguments: [TestWire.plain, .secure])
  func `a slow body returns its memory to the budget however it ends`(_ wire: TestWire) async throws
  {
    try await run(over: wire) { server in
      let rest = String(repeating: "y", count: 4096)
      for round in 0..<40 {
        let client = try slowClient(of: server)
        switch round % 4 {
        case 0:
          client.close()
          // Once the daemon has noticed the ends of the bodies so far.
          try eventually {
            let client = try slowClient(of: server)
            try? client.send(rest)
            return (try? client.readResponse().text) == "8192"
          }
        case 1:
          client.close()
        case 2:
          try client.reset()
        default:
          // A malformed chunk follows one that was counted.
          let chunks = try server.connect()
          try chunks.send(
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nz\r\n")
          _ = try chunks.readToEnd()
          client.close()
        }
      }
      // The whole budget is available once the daemon has noticed the last disconnect.
      try eventually {
        let clients = try (0..<4).map { _ in
          let client = try slowClient(of: server)
          // The response on another connection shows that the daemon has read the first part.
          _ = try server.get("/")
          return client
        }
        let responses = clients.map { client in
          try? client.send(rest)
          return try? client.readResponse().text
        }
        return responses.allSatisfy { $0 == "8192" }
      }
    }
  }

  @Test func `a body counts toward the memory budget as it grows`() {
    let budget = BodyBudget(maximumBytes: 10_000)
    var body = RequestBody(maximumBytes: 16_384)
    body.declaredBytes = 16_384
    let part = [UInt8](repeating: 0, count: 3000)
    part.withUnsafeBytes { part in
      #expect(body.append(part, countedIn: budget) == .taken)
      #expect(budget.usedBytes == 3000)
      #expect(body.append(part, countedIn: budget) == .taken)
      #expect(budget.usedBytes == 6000)
      // Doubling the capacity would need 12,000 bytes.
      #expect(body.append(part, countedIn: budget) == .outOfBudget)
      #expect(budget.usedBytes == 0)
    }
  }

  @Test func `of a body that is too large, four times the limit is discarded`() {
    let budget = BodyBudget(maximumBytes: 10_000)
    var body = RequestBody(maximumBytes: 1000)
    let part = [UInt8](repeating: 0, count: 1000)
    let outcomes = (0..<6).map { _ in part.withUnsafeBytes { body.append($0, countedIn: budget) } }
    #expect(outcomes == [.taken, .taken, .taken, .taken, .taken, .endless])
    #expect(budget.usedBytes == 0)
  }

  @Test func `a body that arrives in one part does not count toward the memory budget`() {
    let budget = BodyBudget(maximumBytes: 0)
    var body = RequestBody(maximumBytes: 16_384)
    body.declaredBytes = 3
    let part: [UInt8] = [1, 2, 3]
    let outcome = part.withUnsafeBytes { body.append($0, countedIn: budget) }
    #expect(outcome == .taken)
    #expect(body.bytes.count == 3)
  }
}
