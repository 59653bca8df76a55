import HTTPSignals
import Microhttpd
import TestSupport
import Testing

/// More connections than the server takes.
@Suite struct ConnectionLimitTests {
  @Test func `newcomers are turned away at once, and let in when there is room`() async throws {
    try await TestServer.run(
      configure: { $0.maximumConnections = 2 },
      answer: { $0.respond(.text("answered")) },
      test: { server in
        let staying = try server.connect()
        let leaving = try server.connect()
        for client in [staying, leaving] {
          try client.request("GET", "/")
          #expect(try client.readAnswer().text == "answered")
        }
        for _ in 0..<100 {
          let newcomer = try server.connect()
          try expectRefusal(to: newcomer)
        }
        try leaving.request("GET", "/", fields: ["Connection: close"])
        _ = try leaving.readAnswer()
        _ = try leaving.readToEnd()

        // Its end is told after the client has seen it, so the first to come may still be too early.
        var answer: Answer?
        for _ in 0..<1000 where answer == nil {
          let newcomer = try server.connect()
          do throws(TestSystemError) {
            try newcomer.request("GET", "/")
            let first = try newcomer.readAnswer()
            if first.status == 200 { answer = first }
          } catch {
            continue
          }
        }
        #expect(answer?.text == "answered")
        try staying.request("GET", "/")
        #expect(try staying.readAnswer().text == "answered")
      }
    )
  }

  @Test func `a client has its own limit, and gets room back when it leaves`() async throws {
    try await TestServer.run(
      loops: 2,
      configure: {
        $0.maximumConnectionsPerClient = 3
        $0.unlimitedClients = []
      },
      answer: { $0.respond(.text("answered")) },
      test: { server in
        let clients = try (0..<3).map { _ in try server.connect() }
        for client in clients {
          try client.request("GET", "/")
          #expect(try client.readAnswer().text == "answered")
        }
        for _ in 0..<20 { try expectRefusal(to: try server.connect()) }
        for client in clients {
          try client.request("GET", "/", fields: ["Connection: close"])
          #expect(try client.readAnswer().text == "answered")
          _ = try client.readToEnd()
        }
        var answer: Answer?
        for _ in 0..<1000 where answer?.status != 200 {
          let newcomer = try server.connect()
          do throws(TestSystemError) {
            try newcomer.request("GET", "/")
            answer = try newcomer.readAnswer()
          } catch {
            continue
          }
        }
        #expect(answer?.text == "answered")
      }
    )
  }

  @Test(arguments: [true, false])
  func `this machine and trusted proxies may have any number`(_ isProxy: Bool) async throws {
    try await TestServer.run(
      configure: {
        $0.maximumConnectionsPerClient = 1
        if isProxy {
          $0.unlimitedClients = []
          $0.trustedProxies = TrustedProxies(CIDRBlock.loopback)
        }
      },
      answer: { $0.respond(.text("answered")) },
      test: { server in
        let clients = try (0..<5).map { _ in try server.connect() }
        for client in clients {
          try client.request("GET", "/")
          #expect(try client.readAnswer().text == "answered")
        }
      }
    )
  }

  private func expectRefusal(to client: SocketClient) throws {
    let answer = try client.readAnswer()
    #expect(answer.status == 503)
    #expect(answer["Content-Type"] == "application/problem+json")
    #expect(answer["Retry-After"] == "5")
    #expect(answer.text.contains("/problems/too-many-connections"))
    #expect(try client.readToEnd().isEmpty)
  }
}
