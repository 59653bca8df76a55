import HTTPSignals
import HTTPTypes
import Locks
import Microhttpd
import Testing
import TestSupport

/// Content that is longer than the server accepts.
@Suite struct BodyLimitTests {
  private static let limit = 1024

  private func run(
    _ test: (TestServer) async throws -> Void
  ) async throws {
    let longest = Lock(0)
    try await TestServer.run(
      configure: {
        $0.maximumBodyBytes = Self.limit
        $0.responsePolicy = ToldProblems { request, problem in
          var response = problem.response
          response.fields[.vary] = request.path
          return response
        }
      },
      answer: { exchange in
        let count = exchange.request.body.count
        longest.withLock { $0 = max($0, count) }
        exchange.respond(.text("\(count)"))
      },
      test: test
    )
    #expect(longest.withLock { $0 } <= Self.limit)
  }

  private func expectRefusal(_ answer: Answer) {
    #expect(answer.status == 413)
    #expect(answer["Content-Type"] == "application/problem+json")
    #expect(answer.text.contains("/problems/too-large"))
    #expect(answer["Vary"] == "/", "told as the service wants it")
  }

  @Test func `content as long as the limit is accepted`() async throws {
    try await run { server in
      let client = try server.connect()
      let body = String(repeating: "x", count: Self.limit)
      try client.request("POST", "/", body: body)
      #expect(try client.readAnswer().text == "\(Self.limit)")
      try client.request("POST", "/", body: body + "x")
      expectRefusal(try client.readAnswer())
    }
  }

  @Test(arguments: [1025, 1_000_000_000, Int.max])
  func `content that is declared too long is rejected before it comes`(_ length: Int) async throws {
    try await run { server in
      let client = try server.connect()
      try client.request("POST", "/", fields: ["Content-Length: \(length)"])
      let answer = try client.readAnswer()
      expectRefusal(answer)
      #expect(answer["Connection"]?.lowercased() == "close")
      #expect(try client.readToEnd().isEmpty)
    }
  }

  @Test func `content in chunks that turns out too long is rejected at its end`() async throws {
    try await run { server in
      let client = try server.connect()
      try client.request("POST", "/", fields: ["Transfer-Encoding: chunked"])
      let chunk = "200\r\n\(String(repeating: "x", count: 512))\r\n"
      try client.send(chunk + chunk)
      try client.send("1\r\ny\r\n0\r\n\r\n")
      expectRefusal(try client.readAnswer())
    }
  }

  @Test(
    arguments: [
      ("", "400\r\n\(String(repeating: "x", count: 1024))\r\n"),
      ("FFFFFFFFFFFFFFFF\r\n", String(repeating: "x", count: 1024)),
    ]
  )
  func `content in chunks without an end is cut off`(_ begin: String, _ part: String) async throws {
    try await run { server in
      let client = try server.connect()
      try client.request("POST", "/", fields: ["Transfer-Encoding: chunked"])
      #expect(throws: TestSystemError.self) {
        try client.send(begin)
        for _ in 0..<100_000 { try client.send(part) }
      }
      #expect(try server.get("/").text == "0")
    }
  }
}
