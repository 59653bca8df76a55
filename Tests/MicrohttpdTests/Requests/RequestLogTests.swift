import HTTPSignals
import HTTPTypes
import Logging
import Microhttpd
import TestSupport
import Testing

/// The log of requests.
@Suite struct RequestLogTests {
  private static let trace = "0af7651916cd43dd8448eb211c80319c"
  private let recorder = LogRecorder()

  /// The metadata of the lines about requests, as dictionaries.
  private func requestLines(_ message: String = "request") -> [[String: String]] {
    recorder.lines.filter { $0.message == message }.map { line in
      var metadata: [String: String] = [:]
      for pair in line.metadata.split(separator: " ") {
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        metadata[String(parts[0])] = parts.count == 2 ? String(parts[1]) : ""
      }
      return metadata
    }
  }

  /// Runs a test with a daemon whose only route is `/things/{id}`.
  private func run(
    at level: Logger.Level = .debug,
    respond: @escaping @Sendable (Exchange) -> Void = { exchange in
      exchange.respond(Response(status: .ok, body: .bytes(Array("thing".utf8))))
    },
    test: (TestServer) async throws -> Void
  ) async throws {
    try await TestServer.run(
      configure: { options in
        options.logger = recorder.logger(level)
        options.route = { $0.hasPrefix("/things/") ? "/things/{id}" : nil }
      },
      handler: respond,
      test: test
    )
  }

  @Test func `each request has one line with its route instead of its path`() async throws {
    try await run { server in
      let client = try server.connect()
      for (method, path) in [("GET", "/things/secret?a=secret"), ("HEAD", "/things/secret")] {
        try client.request(method, path, fields: ["X-Secret: secret"])
        #expect(try client.readResponse(to: method).status == 200)
      }
      try client.request("SECRET", "/secret")
      #expect(try client.readResponse().status == 200)
    }
    let lines = requestLines()
    #expect(lines.map { $0["method"] } == ["GET", "HEAD", "other"])
    #expect(lines.map { $0["route"] } == ["/things/{id}", "/things/{id}", "none"])
    #expect(lines.map { $0["bytes"] } == ["5", "0", "5"])
    #expect(lines.map { $0["status"] } == ["200", "200", "200"])
    #expect(Set(lines.map { $0["id"] }).count == 3)
    for line in lines {
      #expect(line["id"]?.wholeMatch(of: /[0-9a-f]{16}/) != nil)
      #expect(line["duration-us"].flatMap { Int($0) } ?? -1 >= 0)
      #expect(line["trace-id"] == nil)
    }
    for line in recorder.lines { #expect(!line.metadata.lowercased().contains("secret")) }
  }

  @Test func `a line has the ids of a valid traceparent`() async throws {
    let span = "b7ad6b7169203331"
    try await run { server in
      for field in ["00-\(Self.trace)-\(span)-01", "00-\(Self.trace)-\(span)-secret"] {
        let client = try server.connect()
        try client.request("GET", "/things/1", fields: ["Traceparent: \(field)"])
        let response = try client.readResponse()
        #expect(response.status == 200)
        #expect(response["traceparent"] == nil)
      }
    }
    #expect(requestLines().map { $0["trace-id"] } == [Self.trace, nil])
    #expect(requestLines().map { $0["span-id"] } == [span, nil])
  }

  @Test func `a request that never becomes an exchange has a line`() async throws {
    try await run { server in
      for field in ["Content-Length: 99999999", "Expect: nothing"] {
        let client = try server.connect()
        try client.request("POST", "/things/1", fields: [field])
        let status = try client.readHead().status
        #expect(status == (field.hasPrefix("Content") ? 413 : 417))
      }
    }
    #expect(requestLines().map { $0["status"] } == ["413", "417"])
    // A head with an invalid expectation is not relied on, and neither is its path.
    #expect(requestLines().map { $0["route"] } == ["/things/{id}", "none"])
  }

  @Test func `a stream has a line without a number of bytes when it begins`() async throws {
    try await run(
      respond: { exchange in
        let log = EventLog(capacity: 16)
        exchange.respond(EventStream(log: log, from: log.head).response)
      },
      test: { server in
        let client = try server.connect()
        try client.request("GET", "/things/1")
        #expect(try client.readHead().status == 200)
        client.close()
      }
    )
    #expect(requestLines().map { $0["status"] } == ["200"])
    #expect(requestLines().map { $0["bytes"] } == [nil])
  }

  @Test func `nothing is logged above debug`() async throws {
    try await run(at: .info) { server in
      let response = try server.get("/things/1")
      #expect(response.status == 200)
    }
    #expect(recorder.lines == [])
  }

  @Test func `nothing is logged without routes`() async throws {
    try await TestServer.run(
      configure: { $0.logger = recorder.logger(.trace) },
      handler: { $0.respond(Response(status: .noContent)) },
      test: { server in
        let response = try server.get("/")
        #expect(response.status == 204)
      }
    )
    #expect(requestLines().isEmpty)
  }
}
