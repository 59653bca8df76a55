import Glibc
import HTTPSignals
import Microhttpd
import TestSupport
import Testing

/// Answers that their clients take their time to read.
@Suite struct ResponseTimeoutTests {
  /// More than the kernel holds for a connection, so that most of it waits for its client.
  private static let long = String(repeating: "x", count: 16 << 20)

  private static let handler: @Sendable (Exchange) -> Void = { exchange in
    exchange.respond(.text(exchange.request.path == "/short" ? "short" : long))
  }

  @Test func `an answer that is read in drips is broken off, though it never stands still`()
    async throws
  {
    try await TestServer.run(
      configure: { $0.requestTimeout = .seconds(2) },
      handler: Self.handler,
      test: { server in
        let client = try server.connect(receiveBufferBytes: 4096)
        try client.request("GET", "/")
        #expect(try client.readHead().status == 200)
        try expectBreak(of: client, beside: try server.connect())
      }
    )
  }

  @Test func `also at a socket of the file system`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path(of: "socket")
    try await TestServer.run(
      configure: {
        $0.requestTimeout = .seconds(2)
        $0.endpoint = .unix(path: path)
      },
      handler: Self.handler,
      test: { _ in
        let client = try SocketClient(path: path)
        try client.request("GET", "/")
        #expect(try client.readHead().status == 200)
        try expectBreak(of: client, beside: try SocketClient(path: path))
      }
    )
  }

  @Test func `a rejection that is read in drips is broken off, and nothing is put into it`()
    async throws
  {
    try await TestServer.run(
      configure: {
        $0.requestTimeout = .seconds(2)
        $0.responsePolicy = ResponsePolicyStub { _, _ in .text(Self.long) }
      },
      handler: Self.handler,
      test: { server in
        let client = try server.connect(receiveBufferBytes: 4096)
        try client.request("POST", "/", fields: ["Content-Length: 100000"])
        #expect(try client.readHead().status == 200)
        try expectBreak(of: client, beside: try server.connect())
      }
    )
  }

  @Test(arguments: TestWire.allCases)
  func `a stream is no answer that could take too long`(
    _ wire: TestWire
  ) async throws {
    let log = EventLog(capacity: 8)
    try await TestServer.run(
      over: wire,
      configure: { $0.requestTimeout = .seconds(1) },
      handler: { $0.respond(EventStream(log: log, from: log.head).response) },
      test: { server in
        let stream = try server.connect()
        try stream.request("GET", "/")
        #expect(try stream.readHead().status == 200)
        // A silent connection that is opened afterwards is cut: so the time has passed.
        #expect(try server.connect().readToEnd().isEmpty)
        log.append(count: 1)
        #expect(try stream.readEvent()?.id == "test-1")
      }
    )
  }

  /// Reads a little at a time, while others are answered, until the connection ends.
  private func expectBreak(
    of client: SocketClient,
    beside other: SocketClient
  ) throws {
    let deadline = Deadline(after: .seconds(30))
    var count = 0
    let end: TestSystemError
    while true {
      try other.request("GET", "/short")
      #expect(try other.readResponse().text == "short")
      do throws(TestSystemError) {
        count += try client.take(64, by: deadline).count
      } catch {
        end = error
        break
      }
    }
    // A reset, where libmicrohttpd has not found it silent first; a Unix socket has none.
    #expect(end == .system("recv", errno: ECONNRESET) || end == .closed)
    #expect(count < Self.long.utf8.count / 2)
  }
}
