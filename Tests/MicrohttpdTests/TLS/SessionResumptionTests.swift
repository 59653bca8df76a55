import Security
import HTTPSignals
import Microhttpd
import Testing
import TestSupport

/// Session tickets, which spare a returning client the expensive half of the handshake.
@Suite struct SessionResumptionTests {
  /// Opens a first connection and returns its session.
  private func remember(_ server: TestServer) throws -> SecureSession.SessionMemory {
    let client = try server.connect()
    #expect(!client.isResumed)
    try client.request("GET", "/")
    #expect(try client.readResponse().status == 200)
    return try client.rememberSession()
  }

  /// Connects again with a session.
  private func resume(
    _ memory: SecureSession.SessionMemory, _ server: TestServer
  ) throws -> Client {
    let client = try Client(port: server.port)
    try client.shakeHands(server.wire.priorities ?? "", resuming: memory)
    return client
  }

  /// The kernel chooses the event loop of a connection, so the test opens several connections.
  @Test(arguments: [TestWire.secure, .secureInParts])
  func `a TLS session can be resumed on every event loop`(_ wire: TestWire) async throws {
    try await TestServer.run(loops: 3, over: wire, handler: { $0.respond(.text("here")) }) {
      server in
      let memory = try remember(server)
      let clients = try (0..<16).map { _ in try resume(memory, server) }
      for client in clients {
        #expect(client.isResumed)
        try client.request("GET", "/")
        #expect(try client.readResponse().text == "here")
      }
    }
  }

  @Test func `a resumed TLS session delivers long events and a clean end`() async throws {
    let log = EventLog(capacity: 256)
    log.append(count: 100, padding: 900)
    try await TestServer.run(
      over: .secure,
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
      #expect(try client.readHead()["Connection"] == "close")
      for number in 1...100 { #expect(try client.readEvent()?.id == "test-\(number)") }
      log.finish()
      #expect(try client.readEvent() == nil)
    }
  }

  @Test(arguments: [TestWire.secure, .secureInParts])
  func `a TLS session cannot be resumed after the certificate has been replaced`(
    _ wire: TestWire
  )
    async throws
  {
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
