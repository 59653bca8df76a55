import Security
import HTTPSignals
import Microhttpd
import Testing
import TestSupport

/// Replacing the certificate of a daemon that is running.
@Suite struct CertificateReplacementTests {
  @Test(arguments: TestCertificate.Algorithm.allCases)
  func `new connections get the new certificate while open connections and streams continue`(
    _ algorithm: TestCertificate.Algorithm
  ) async throws {
    let log = EventLog(capacity: 64)
    try await TestServer.run(
      loops: 2,
      over: .secure,
      handler: { exchange in
        guard exchange.request.path == "/events" else {
          exchange.respond(.text("here"))
          return
        }
        exchange.respond(EventStream(log: log, from: log.head).response)
      }
    ) { server in
      let open = try server.connect()
      try open.request("GET", "/")
      #expect(try open.readResponse().text == "here")
      let stream = try server.connect()
      try stream.request("GET", "/events")
      #expect(try stream.readHead().status == 200)

      let next = try TestCertificate(algorithm)
      let identity = try TLSIdentity(next)
      #expect(server.daemon.use(identity))
      log.append(count: 1)
      #expect(try stream.readEvent()?.id == "test-1")
      try open.request("GET", "/")
      #expect(try open.readResponse().text == "here")
      #expect(open.peerCertificate != next.encoded)

      for _ in 0..<4 {
        let client = try server.connect()
        #expect(client.peerCertificate == next.encoded)
        try client.request("GET", "/events")
        #expect(try client.readHead().status == 200)
        log.append(count: 1)
        #expect(try client.readEvent()?.id == "test-\(log.head - 1)")
        #expect(try stream.readEvent()?.id == "test-\(log.head - 1)")
      }
    }
  }

  @Test func `a daemon without TLS rejects a certificate`() async throws {
    try await TestServer.run(handler: { $0.respond(.text("here")) }) { server in
      let identity = try TLSIdentity(TestCertificate())
      #expect(!server.daemon.use(identity))
      #expect(try server.get("/").text == "here")
    }
  }

  @Test func `a TLS identity has the expiration time of its certificate`() throws {
    let soon = try TLSIdentity(TestCertificate(expiresInDays: 10)).expirationTime
    let later = try TLSIdentity(TestCertificate(expiresInDays: 20)).expirationTime
    #expect((10 * 86_400 - 60...10 * 86_400 + 60).contains(later - soon))
  }
}
