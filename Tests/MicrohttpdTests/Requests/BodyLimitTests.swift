import HTTPSignals
import HTTPTypes
import Signals
import Microhttpd
import Testing
import TestSupport

/// The limit on the length of a request body.
@Suite struct BodyLimitTests {
  private static let limit = 1024

  private func run(_ test: (TestServer) async throws -> Void) async throws {
    let longest = Lock(0)
    try await TestServer.run(
      configure: {
        $0.requests.maximumBodyBytes = Self.limit
        $0.responsePolicy = ResponsePolicyStub { request, problem in
          var response = TestResponsePolicy().response(for: problem, to: nil)
          response.fields[.vary] = request.path
          return response
        }
      },
      handler: { exchange in
        let count = exchange.request.body.count
        longest.withLock { $0 = max($0, count) }
        exchange.respond(.text("\(count)"))
      },
      test: test
    )
    #expect(longest.withLock { $0 } <= Self.limit)
  }

  private func expectRejection(_ response: Client.Response) {
    #expect(response.status == 413)
    #expect(response["Content-Type"] == "application/problem+json")
    #expect(response.text.contains("/problems/too-large"))
    #expect(response["Vary"] == "/", "the response policy applies")
  }

  @Test func `accepts a body at the length limit and rejects a longer one`() async throws {
    try await run { server in
      let client = try server.connect()
      let body = String(repeating: "x", count: Self.limit)
      try client.request("POST", "/", body: body)
      #expect(try client.readResponse().text == "\(Self.limit)")
      try client.request("POST", "/", body: body + "x")
      expectRejection(try client.readResponse())
    }
  }

  @Test(arguments: [1025, 1_000_000_000, Int.max])
  func `rejects a body whose Content-Length is too large before the body arrives`(
    _ length: Int
  )
    async throws
  {
    try await run { server in
      let client = try server.connect()
      try client.request("POST", "/", fields: ["Content-Length: \(length)"])
      let response = try client.readResponse()
      expectRejection(response)
      #expect(response["Connection"]?.lowercased() == "close")
      #expect(try client.readToEnd().isEmpty)
    }
  }

  @Test func `rejects a chunked body over the limit when it ends`() async throws {
    try await run { server in
      let client = try server.connect()
      try client.request("POST", "/", fields: ["Transfer-Encoding: chunked"])
      let chunk = "200\r\n\(String(repeating: "x", count: 512))\r\n"
      try client.send(chunk + chunk)
      try client.send("1\r\ny\r\n0\r\n\r\n")
      expectRejection(try client.readResponse())
    }
  }

  @Test(
    arguments: [
      ("", "400\r\n\(String(repeating: "x", count: 1024))\r\n"),
      ("FFFFFFFFFFFFFFFF\r\n", String(repeating: "x", count: 1024)),
    ]
  )
  func `closes the connection of an endless chunked body`(
    _ begin: String, _ part: String
  )
    async throws
  {
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
