import Glibc
import HTTPSignals
import Microhttpd
import Testing
import TestSupport

/// Connections over TLS, which libmicrohttpd and GnuTLS read within the daemon's limits.
@Suite struct SecureConnectionTests {
  private func run(
    over wire: TestWire = .secure, _ configure: (inout DaemonOptions) -> Void = { _ in },
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

  /// Sends a piece about every 20 ms and expects the connection to end.
  private func drip(_ piece: String, to client: Client) throws {
    for _ in 0..<500 where !hasEnded(client) {
      // Sending after the end resets the connection.
      if (try? client.send(piece)) == nil { return }
    }
    #expect(hasEnded(client))
  }

  /// Returns whether a connection ends within 20 ms without receiving anything.
  private func hasEnded(_ client: Client) -> Bool {
    let result = Result { try client.readToEnd(within: .milliseconds(20)) }
    switch result {
    case .success(let rest): return rest.isEmpty
    case .failure(let error): return error as? TestSystemError != .timeout
    }
  }

  @Test(arguments: [TestWire.secure, .secureInParts])
  func `requests of all kinds get responses on one TLS connection`(_ wire: TestWire) async throws {
    try await run(over: wire) { server in
      let client = try server.connect()
      for turn in 0..<20 {
        let body = String(repeating: "x", count: turn * 800)
        try client.request("POST", "/\(turn)", body: body)
        #expect(try client.readResponse().text == "/\(turn) \(body)")
      }
      // A head that arrives in pieces may be the last on its connection.
      let slow = try server.connect()
      try slow.sendByteByByte("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try slow.readResponse().text == "/slow ")
      try client.request("HEAD", "/")
      #expect(try client.readResponse(to: "HEAD").status == 200)
      try client.send("POST /part HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
      try client.send("2\r\nab\r\n")
      try client.send("1\r\nc\r\n0\r\n\r\n")
      // A chunked request is the last on its connection, too.
      #expect(try client.readResponse().text == "/part abc")
      #expect(try client.readToEnd().isEmpty)
      #expect(client.hasReceivedEnd)
    }
  }

  /// Otherwise a client that does not send small segments before earlier ones are acknowledged keeps
  /// its first request back for 40 ms.
  @Test func `the kernel does not delay the acknowledgment of a TLS 1.3 handshake`() async throws {
    try await run { server in
      let client = try server.connect()
      let port = try #require(client.port)
      // The client sends the last message of the handshake.
      try eventually { (3..<4096).contains { acknowledgesAtOnce($0, peerPort: port) } }
    }
  }

  /// Returns whether a descriptor of this process is a socket that is connected to a port, and
  /// acknowledges what it receives at once.
  private func acknowledgesAtOnce(_ descriptor: Int32, peerPort: UInt16) -> Bool {
    var peer = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isConnected = withUnsafeMutablePointer(to: &peer) { peer in
      peer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &size) }
    }
    guard isConnected == 0, peer.sin_port.bigEndian == peerPort else { return false }
    var value: Int32 = 0
    size = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_QUICKACK, &value, &size)
    return value == 1
  }

  @Test func `a rejected request over TLS gets a problem response and a close`() async throws {
    try await run { server in
      let client = try server.connect()
      try client.send("GET / HTTP/1.1\r\nHost:\r\n\r\n")
      let response = try client.readResponse()
      #expect(response.status == 400)
      #expect(response["Content-Type"] == "application/problem+json")
      #expect(try client.readToEnd().isEmpty)
    }
  }

  /// The client begins with part of a handshake record, with only its first byte, or with HTTP.
  @Test(arguments: ["\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}", "\u{16}", "GET / HTTP/1.1\r\n"])
  func `times out a TLS handshake sent byte by byte`(_ begin: String) async throws {
    try await run({ $0.connections.requestTimeout = .milliseconds(300) }) { server in
      let client = try Client(port: server.port)
      try client.send(begin)
      try drip("\u{0}", to: client)
    }
  }

  @Test func `times out a silent client before and after its TLS handshake`() async throws {
    try await run({ $0.connections.requestTimeout = .milliseconds(300) }) { server in
      let strange = try Client(port: server.port)
      #expect(try strange.readToEnd().isEmpty)
      let known = try server.connect()
      #expect(try known.readToEnd().isEmpty)
    }
  }

  @Test func `times out a slow head over TLS, even if bytes keep arriving`() async throws {
    try await run({ $0.connections.requestTimeout = .milliseconds(300) }) { server in
      let client = try server.connect()
      try client.send("GET / HTTP/1.1\r\nHost: a\r\n")
      try drip("a: b\r\n", to: client)
    }
  }

  @Test func `rejects TLS connections over the limit and accepts new ones after one closes`()
    async throws
  {
    try await run({ $0.connections.maximum = 1 }) { server in
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
      // The daemon learns of the close after the client.
      var response: Client.Response?
      for _ in 0..<1000 where response == nil {
        guard let newcomer = try? server.connect() else { continue }
        try newcomer.request("GET", "/")
        response = try newcomer.readResponse()
      }
      #expect(response?.status == 200)
    }
  }

  /// Repeated TLS 1.2 handshakes cost a client nothing and the service much.
  @Test func `closes a connection on which the client starts another TLS handshake`() async throws {
    try await run(over: .secureInParts) { server in
      let client = try server.connect()
      try client.request("GET", "/")
      #expect(try client.readResponse().status == 200)
      // The client gets an alert instead of a bare close (RFC 5746 §4.5).
      #expect(throws: TestSystemError.malformed("A TLS fatal alert has been received.")) {
        try client.shakeHandsAgain()
      }
      #expect(hasEnded(client))
      let another = try server.connect()
      try another.request("GET", "/")
      #expect(try another.readResponse().status == 200)
    }
  }
}
