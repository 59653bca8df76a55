import Glibc
import HTTPSignals
import Microhttpd
import Platform
import TestSupport
import Testing

/// Responses that clients read slowly.
@Suite struct ResponseTimeoutTests {
  /// A body larger than the kernel's buffers, so that most of it waits for the client.
  private static let long = String(repeating: "x", count: 16 << 20)

  private static let handler: @Sendable (Exchange) -> Void = { exchange in
    exchange.respond(.text(exchange.request.path == "/short" ? "short" : long))
  }

  @Test func `a response that is read too slowly is reset, even if the client keeps reading`()
    async throws
  {
    try await TestServer.run(
      configure: { $0.connections.requestTimeout = .seconds(2) },
      handler: Self.handler,
      test: { server in
        let client = try server.connect(receiveBufferBytes: 4096)
        try client.request("GET", "/")
        #expect(try client.readHead().status == 200)
        try expectEnd(of: client, whileServing: try server.connect())
      }
    )
  }

  @Test func `a response that is read too slowly over a Unix socket is closed`() async throws {
    let folder = try Folder()
    let path = folder("socket")
    try await TestServer.run(
      configure: {
        $0.connections.requestTimeout = .seconds(2)
        $0.endpoint = .address(.unix(path: path))
      },
      handler: Self.handler,
      test: { _ in
        let client = try Client(path: path)
        try client.request("GET", "/")
        #expect(try client.readHead().status == 200)
        try expectEnd(of: client, whileServing: try Client(path: path))
      }
    )
  }

  @Test func `a rejection that is read too slowly is reset without a second response in it`()
    async throws
  {
    try await TestServer.run(
      configure: {
        $0.connections.requestTimeout = .seconds(2)
        $0.responsePolicy = ResponsePolicyStub { _, _ in .text(Self.long) }
      },
      handler: Self.handler,
      test: { server in
        let client = try server.connect(receiveBufferBytes: 4096)
        try client.request("POST", "/", fields: ["Content-Length: 100000"])
        #expect(try client.readHead().status == 200)
        try expectEnd(of: client, whileServing: try server.connect())
      }
    )
  }

  @Test(arguments: TestWire.streaming)
  func `the response timeout does not apply to event streams`(_ wire: TestWire) async throws {
    let log = EventLog(capacity: 8)
    try await TestServer.run(
      over: wire,
      configure: { $0.connections.requestTimeout = .seconds(1) },
      handler: { $0.respond(EventStream(log: log, from: log.head).response) },
      test: { server in
        let stream = try server.connect()
        try stream.request("GET", "/")
        #expect(try stream.readHead().status == 200)
        // A silent connection opened later has been closed, so the timeout has passed.
        #expect(try server.connect().readToEnd().isEmpty)
        log.append(count: 1)
        #expect(try stream.readEvent()?.id == "test-1")
      }
    )
  }

  /// Reads a little at a time until the connection ends, while another client gets responses.
  private func expectEnd(of client: Client, whileServing other: Client) throws {
    let time = ContinuousClock.now + patience
    var count = 0
    let end: TestSystemError
    while true {
      try other.request("GET", "/short")
      #expect(try other.readResponse().text == "short")
      do throws(TestSystemError) {
        count += try client.take(64, within: time - .now).count
      } catch {
        end = error
        break
      }
    }
    // A reset, unless libmicrohttpd noticed the silence first; Unix sockets have no reset.
    #expect(end == .system("recv", errno: ECONNRESET) || end == .closed)
    #expect(count < Self.long.utf8.count / 2)
  }
}
