import HTTPSignals
import Microhttpd
import Testing
import TestSupport

/// Session tickets: a client that comes back is spared the costly half of the handshake.
@Suite struct SessionResumptionTests {
  /// Makes a first connection, and remembers its session.
  private func remember(_ server: TestServer) throws -> SecureSession.SessionMemory {
    let client = try server.connect()
    #expect(!client.isResumed)
    try client.request("GET", "/")
    #expect(try client.readResponse().status == 200)
    return try client.rememberSession()
  }

  /// Comes back with a session.
  private func resume(
    _ memory: SecureSession.SessionMemory,
    _ server: TestServer
  ) throws -> SocketClient {
    let client = try SocketClient(port: server.port)
    try client.shakeHands(server.wire.priorities ?? "", resuming: memory)
    return client
  }

  /// The kernel decides which loop a connection reaches, so several are made.
  @Test(arguments: [TestWire.secure, .secureThroughLibrary])
  func `a session is resumed on every event loop`(_ wire: TestWire) async throws {
    try await TestServer.run(
      loops: 3,
      over: wire,
      handler: { $0.respond(.text("here")) }
    ) { server in
      let memory = try remember(server)
      let clients = try (0..<16).map { _ in try resume(memory, server) }
      for client in clients {
        #expect(client.isResumed)
        try client.request("GET", "/")
        #expect(try client.readResponse().text == "here")
      }
    }
  }

  @Test(arguments: [TestWire.secure, .secureThroughLibrary])
  func `a resumed session carries long events, and the end`(_ wire: TestWire) async throws {
    let log = EventLog(capacity: 256)
    log.append(count: 100, padding: 900)
    try await TestServer.run(
      over: wire,
      handler: { exchange in
        guard exchange.request.path == "/events" else {
          exchange.respond(.text("here"))
          return
        }
        exchange.respond(EventStream(log: log, from: log.oldest).response)
      }
    ) { server in
      let client = try resume(try remember(server), server)
      #expect(client.isResumed)
      try client.request("GET", "/events")
      #expect(try client.readHead()["Connection"] == (wire.isDirect ? "close" : nil))
      for number in 1...100 { #expect(try client.readEvent()?.id == "test-\(number)") }
      log.finish()
      #expect(try client.readEvent() == nil)
    }
  }

  @Test(arguments: [TestWire.secure, .secureThroughLibrary])
  func `a session is not resumed once the certificate was replaced`(_ wire: TestWire) async throws {
    try await TestServer.run(over: wire, handler: { $0.respond(.text("here")) }) { server in
      let memory = try remember(server)
      let next = try TestCertificate()
      let identity = try TLSIdentity(next)
      #expect(server.daemon.use(identity))
      let client = try resume(memory, server)
      #expect(!client.isResumed)
      #expect(client.peerCertificate == next.encoded)
      try client.request("GET", "/")
      #expect(try client.readResponse().text == "here")
    }
  }
}
