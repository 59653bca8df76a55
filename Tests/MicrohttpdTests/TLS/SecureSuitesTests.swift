import Security
import HTTPSignals
import HTTPTypes
import Microhttpd
import Testing
import TestSupport

/// The versions and cipher suites of TLS that a daemon accepts.
@Suite struct SecureSuitesTests {
  private func run(_ test: (TestServer) throws -> Void) async throws {
    try await TestServer.run(
      over: .secure,
      handler: { exchange in
        guard exchange.request.path == "/events" else {
          exchange.respond(.text("here"))
          return
        }
        let log = EventLog(capacity: 1)
        log.finish()
        exchange.respond(EventStream(log: log, from: log.head).response)
      },
      test: { try test($0) }
    )
  }

  @Test(arguments: [
    "NORMAL:-VERS-ALL:+VERS-TLS1.1", "NORMAL:-VERS-ALL:+VERS-TLS1.0",
    "NORMAL:-VERS-ALL:+VERS-TLS1.2:-CIPHER-ALL:+AES-128-CBC",
    "NORMAL:-VERS-ALL:+VERS-TLS1.2:-CIPHER-ALL:+AES-256-CBC",
    "NORMAL:-VERS-ALL:+VERS-TLS1.2:-KX-ALL:+RSA",
    "NORMAL:-VERS-ALL:+VERS-TLS1.2:-KX-ALL:+DHE-RSA",
    "NORMAL:-VERS-ALL:+VERS-TLS1.2:-SIGN-ALL:+SIGN-ECDSA-SHA1:+SIGN-RSA-SHA1",
    "NORMAL:-VERS-ALL:+VERS-TLS1.3:-GROUP-ALL:+GROUP-FFDHE2048",
  ])
  func `rejects weak TLS versions, cipher suites, groups, and signatures`(
    _ priorities: String
  )
    async throws
  {
    try await run { server in
      for algorithm in TestCertificate.Algorithm.allCases {
        let identity = try TLSIdentity(TestCertificate(algorithm))
        #expect(server.daemon.use(identity))
        let client = try Client(port: server.port)
        #expect(throws: TestSystemError.malformed("A TLS fatal alert has been received.")) {
          try client.shakeHands(priorities)
        }
      }
    }
  }

  @Test(arguments: [
    "AES-128-GCM", "AES-256-GCM", "CHACHA20-POLY1305",
  ])
  func `accepts TLS 1.2 with authenticated encryption`(_ cipher: String) async throws {
    try await run { server in
      for algorithm in TestCertificate.Algorithm.allCases {
        let identity = try TLSIdentity(TestCertificate(algorithm))
        #expect(server.daemon.use(identity))
        let client = try Client(port: server.port)
        try client.shakeHands("NORMAL:-VERS-ALL:+VERS-TLS1.2:-CIPHER-ALL:+\(cipher)")
        try client.request("GET", "/")
        #expect(try client.readResponse().text == "here")
      }
    }
  }

  @Test(arguments: ["/", "/events"])
  func `responses have Strict-Transport-Security over TLS only`(_ path: String) async throws {
    try await run { server in
      let response = try server.get(path)
      #expect(response["Strict-Transport-Security"] == "max-age=31536000")
    }
    try await TestServer.run(handler: { $0.respond(.text("here")) }) { server in
      let response = try server.get(path)
      #expect(response["Strict-Transport-Security"] == nil)
    }
  }

  @Test func `rejections over TLS have Strict-Transport-Security`() async throws {
    try await run { server in
      let client = try server.connect()
      try client.send("GET / HTTP/1.1\r\nHost:\r\n\r\n")
      let response = try client.readResponse()
      #expect(response.status == 400)
      #expect(response["Strict-Transport-Security"] == "max-age=31536000")
    }
  }
}
