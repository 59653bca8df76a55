import HTTPSignals
import Microhttpd
import Testing
import TestSupport

/// Connections over TLS: libmicrohttpd and GnuTLS read them, and ours are the limits.
@Suite struct SecureConnectionTests {
  private func run(
    over wire: TestWire = .secure,
    _ configure: (inout Daemon.Configuration) -> Void = { _ in },
    _ test: (TestServer) throws -> Void
  ) async throws {
    try await TestServer.run(
      over: wire,
      configure: configure,
      handler: { exchange in
        let body = String(decoding: exchange.request.body, as: UTF8.self)
        exchange.respond(.text("\(exchange.request.path) \(body)"))
      },
      test: { try test($0) }
    )
  }

  /// Sends a little, waits a little for the end, and again.
  private func drip(_ piece: String, to client: SocketClient) throws {
    for _ in 0..<500 where !hasEnded(client) {
      // What is sent after the end breaks the connection off.
      if (try? client.send(piece)) == nil { return }
    }
    #expect(hasEnded(client))
  }

  /// Waits a little for the end of a connection on which nothing comes.
  private func hasEnded(_ client: SocketClient) -> Bool {
    let result = Result { try client.readToEnd(by: Deadline(after: .milliseconds(20))) }
    switch result {
    case .success(let rest): return rest.isEmpty
    case .failure(let error): return error as? TestSystemError != .timeout
    }
  }

  @Test(arguments: [TestWire.secure, .secureThroughLibrary])
  func `requests of all kinds are answered on one connection`(_ wire: TestWire) async throws {
    try await run(over: wire) { server in
      let client = try server.connect()
      for turn in 0..<20 {
        let body = String(repeating: "x", count: turn * 800)
        try client.request("POST", "/\(turn)", body: body)
        #expect(try client.readResponse().text == "/\(turn) \(body)")
      }
      // A head in pieces may be the last of its connection.
      let slow = try server.connect()
      try slow.sendByteByByte("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try slow.readResponse().text == "/slow ")
      try client.request("HEAD", "/")
      #expect(try client.readResponse(to: "HEAD").status == 200)
      try client.send("POST /part HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
      try client.send("2\r\nab\r\n")
      try client.send("1\r\nc\r\n0\r\n\r\n")
      // Chunks are the last of their connection, too.
      #expect(try client.readResponse().text == "/part abc")
      #expect(try client.readToEnd().isEmpty)
      #expect(client.hasReceivedEnd)
    }
  }

  @Test func `a request that is rejected is told why, and its connection ended`() async throws {
    try await run { server in
      let client = try server.connect()
      try client.send("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")
      let response = try client.readResponse()
      #expect(response.status == 400)
      #expect(response["Content-Type"] == "application/problem+json")
      #expect(try client.readToEnd().isEmpty)
    }
  }

  /// The type and the version of a record with a first message, and its length; then its bytes.
  @Test(arguments: ["\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}", "\u{16}", "GET / HTTP/1.1\r\n"])
  func `hands that are shaken byte by byte are let go of in time`(_ begin: String) async throws {
    try await run({ $0.requestTimeout = .milliseconds(300) }) { server in
      let client = try SocketClient(port: server.port)
      try client.send(begin)
      try drip("\u{0}", to: client)
    }
  }

  @Test func `who connects and says nothing is let go of in time`() async throws {
    try await run({ $0.requestTimeout = .milliseconds(300) }) { server in
      let strange = try SocketClient(port: server.port)
      #expect(try strange.readToEnd().isEmpty)
      let known = try server.connect()
      #expect(try known.readToEnd().isEmpty)
    }
  }

  @Test func `a head that drips is cut, though it never falls silent`() async throws {
    try await run({ $0.requestTimeout = .milliseconds(300) }) { server in
      let client = try server.connect()
      try client.send("GET / HTTP/1.1\r\nHost: a\r\n")
      try drip("a: b\r\n", to: client)
    }
  }

  @Test func `newcomers are turned away at the limit, and let in when there is room`() async throws
  {
    try await run({ $0.maximumConnections = 1 }) { server in
      do {
        let staying = try server.connect()
        try staying.request("GET", "/")
        #expect(try staying.readResponse().status == 200)
        for _ in 0..<20 {
          #expect(throws: TestSystemError.self) { _ = try server.connect() }
        }
        try staying.request("GET", "/")
        #expect(try staying.readResponse().status == 200)
      }
      // Its end is told after the client has seen it.
      var response: TestResponse?
      for _ in 0..<1000 where response == nil {
        guard let newcomer = try? server.connect() else { continue }
        try newcomer.request("GET", "/")
        response = try newcomer.readResponse()
      }
      #expect(response?.status == 200)
    }
  }

  /// With TLS 1.2, to do so again and again costs a client nothing and the service much.
  @Test func `a client that wants to shake hands anew is let go of`() async throws {
    try await run(over: .secureThroughLibrary) { server in
      let client = try server.connect()
      try client.request("GET", "/")
      #expect(try client.readResponse().status == 200)
      // RFC 5746 §4.5: it is told, and not just left.
      #expect(throws: TestSystemError.malformed("A TLS fatal alert has been received.")) {
        try client.shakeHandsAnew()
      }
      #expect(hasEnded(client))
      let another = try server.connect()
      try another.request("GET", "/")
      #expect(try another.readResponse().status == 200)
    }
  }
}
