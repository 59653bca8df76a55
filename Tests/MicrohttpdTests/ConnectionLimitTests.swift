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
          #expect(try newcomer.readToEnd().isEmpty)
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
            answer = try newcomer.readAnswer()
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
}
