import HTTPSignals
import HTTPTypes
import Microhttpd
import TestSupport
import Testing

/// The forms of a request head, and the response to each.
@Suite struct RequestHeadTests {
  /// Runs a test with a daemon that responds with the method and the path of each request.
  private func run(_ test: (TestServer) async throws -> Void) async throws {
    try await TestServer.run(
      handler: { $0.respond(.text("\($0.request.method) \($0.request.path)")) }, test: test)
  }

  private func response(to head: String, from server: TestServer) throws -> Client.Response {
    let client = try server.connect()
    try client.send(head + "\r\n\r\n")
    return try client.readResponse(to: String(head.prefix { $0 != " " }))
  }

  @Test(
    arguments: [
      ("GET /a HTTP/1.1\r\nHost: b", "GET /a"),
      ("GET http://b/a HTTP/1.1\r\nHost: b", "GET /a"),
      ("GET HTTPS://B:81/a/c?d=/e HTTP/1.1\r\nHost: b:81", "GET /a/c"),
      ("GET http://b HTTP/1.1\r\nHost: b", "GET /"),
      ("GET http://b?c HTTP/1.1\r\nHost: b", "GET /"),
      ("OPTIONS * HTTP/1.1\r\nHost: b", "OPTIONS *"),
      ("PROPFIND /a HTTP/1.1\r\nHost: b", "PROPFIND /a"),
      ("get /a HTTP/1.1\r\nHost: b", "get /a"),
      ("GET //a/../b;c HTTP/1.1\r\nHost: b", "GET //a/../b;c"),
      ("GET /a HTTP/1.0", "GET /a"),
      ("GET /a HTTP/1.0\r\nHost: b\r\nExpect: something", "GET /a"),
      ("\r\nGET /a HTTP/1.1\r\nHost: b", "GET /a"),
    ]
  )
  func `accepts every form of request target`(_ head: String, _ expected: String) async throws {
    try await run { server in
      let response = try response(to: head, from: server)
      #expect(response.text == expected)
    }
  }

  @Test(
    arguments: [
      ("another host in the target", "GET http://evil/a HTTP/1.1\r\nHost: b"),
      ("a name and a password", "GET http://a:b@b/a HTTP/1.1\r\nHost: b"),
      ("another scheme", "GET ftp://b/a HTTP/1.1\r\nHost: b"),
      ("no host in the target", "GET http:///a HTTP/1.1\r\nHost: b"),
      ("a relative path", "GET a HTTP/1.1\r\nHost: b"),
      ("a space after the path", "GET    /a    HTTP/1.1\r\nHost: b"),
      ("a space in the path", "GET /a b HTTP/1.1\r\nHost: b"),
      ("a tab in the path", "GET /a\tb HTTP/1.1\r\nHost: b"),
      ("a byte that is not ASCII", "GET /ä HTTP/1.1\r\nHost: b"),
      ("a control character", "GET /a\u{7F} HTTP/1.1\r\nHost: b"),
      ("a method that is not a token", "G(T /a HTTP/1.1\r\nHost: b"),
    ]
  )
  func `rejects a malformed request line with 400 and closes the connection`(
    _ what: String, _ head: String
  ) async throws {
    try await run { server in
      let client = try server.connect()
      try client.send(head + "\r\n\r\n")
      let response = try client.readResponse()
      #expect(response.status == 400)
      // libmicrohttpd 1.0 rejects some of them itself, with its own page.
      if response["Content-Type"] == "application/problem+json" {
        #expect(response.text.contains("/problems/malformed-request"))
      }
      #expect(try client.readToEnd().isEmpty)
    }
  }

  @Test(arguments: ["something", "100-continue, something", "200-ok"])
  func `rejects an unknown expectation with 417`(_ expectation: String) async throws {
    try await run { server in
      let response = try response(
        to: "POST / HTTP/1.1\r\nHost: b\r\nContent-Length: 2\r\nExpect: \(expectation)",
        from: server)
      #expect(response.status == 417)
      #expect(response.text.contains("/problems/expectation-failed"))
    }
  }

  @Test func `rejects an oversized body instead of sending 100 Continue`() async throws {
    try await run { server in
      let client = try server.connect()
      try client.send(
        "POST / HTTP/1.1\r\nHost: b\r\nContent-Length: 16385\r\nExpect: 100-continue\r\n\r\n")
      #expect(try client.readLine() == "HTTP/1.1 413 Content Too Large")
    }
  }

  @Test func `accepts a head at the size limit and rejects one that is a byte longer`() async throws
  {
    try await run { server in
      // The limit counts the target, both fields `Host: b` and `X: …`, and 64 bytes per field.
      let room = 8192 - "/a".count - "Hostb".count - "X".count - 2 * 64
      func head(_ count: Int) -> String {
        "GET /a HTTP/1.1\r\nHost: b\r\nX: \(String(repeating: "x", count: count))"
      }
      #expect(try response(to: head(room), from: server).text == "GET /a")
      let rejection = try response(to: head(room + 1), from: server)
      #expect(rejection.status == 431)
      #expect(rejection["Content-Type"] == "application/problem+json")
      #expect(rejection.text.contains("/problems/header-fields-too-large"))
    }
  }

  @Test func `accepts the maximum number of header fields and rejects one more`() async throws {
    try await run { server in
      let fields = (100..<163).map { "\r\nX-\($0): \($0)" }.joined()
      #expect(try response(to: "GET /a HTTP/1.1\r\nHost: b\(fields)", from: server).status == 200)
      let more = "\r\nX: 1"
      let rejection = try response(to: "GET /a HTTP/1.1\r\nHost: b\(fields)\(more)", from: server)
      #expect(rejection.status == 431)
    }
  }

  @Test func `accepts a target at the length limit and rejects one that is a byte longer`()
    async throws
  {
    try await run { server in
      let path = "/" + String(repeating: "a", count: 4095)
      let longest = try response(to: "GET \(path) HTTP/1.1\r\nHost: b", from: server)
      #expect(longest.text == "GET \(path)")
      let rejection = try response(to: "GET \(path)a HTTP/1.1\r\nHost: b", from: server)
      #expect(rejection.status == 414)
      #expect(rejection["Content-Type"] == "application/problem+json")
      #expect(rejection.text.contains("/problems/uri-too-long"))
    }
  }

  @Test(arguments: [TestWire.plain, .secure])
  func `large heads on several connections at once are rejected, and the others are served`(
    _ wire: TestWire
  ) async throws {
    func head(_ target: String, fieldCount: Int) -> String {
      let fields = (0..<fieldCount).map { "X-\($0): \($0)\r\n" }.joined()
      return "GET \(target) HTTP/1.1\r\nHost: b\r\n\(fields)\r\n"
    }
    let query = (0..<500).map { "a\($0)=b" }.joined(separator: "&")
    let heads = [
      head("/", fieldCount: 100), head("/", fieldCount: 250), head("/", fieldCount: 130),
      head("/?\(query)", fieldCount: 1), head("/?\(query)", fieldCount: 130),
    ]
    try await TestServer.run(over: wire, handler: { $0.respond(.text("responded")) }) { server in
      let staying = try server.connect()
      for _ in 0..<100 {
        let clients = try heads.map { _ in try server.connect() }
        // The first halves arrive together, so all heads are in pieces at the same time.
        for (client, head) in zip(clients, heads) {
          try client.send(String(head.prefix(head.count / 2)))
        }
        for (client, head) in zip(clients, heads) {
          // The server may have rejected it already, and reads nothing after that.
          _ = try? client.send(String(head.dropFirst(head.count / 2)))
          let status = try? client.readHead().status
          #expect(status.map { [414, 431].contains($0) } ?? true)
        }
        try staying.request("GET", "/")
        #expect(try staying.readResponse().text == "responded")
      }
    }
  }

  /// libmicrohttpd itself rejects heads that do not fit its memory, with its own error page.
  @Test(arguments: [(11_000, "\r\n\r\n"), (30_000, "")])
  func `rejects heads of any length that exceed the memory of a connection`(
    _ count: Int, _ end: String
  ) async throws {
    try await run { server in
      for (head, status) in [
        ("GET /\(String(repeating: "a", count: count)) HTTP/1.1\r\nHost: b", 414),
        ("GET / HTTP/1.1\r\nHost: b\r\nX: \(String(repeating: "x", count: count))", 431),
      ] {
        let client = try server.connect()
        try client.send(head + end)
        #expect(try client.readResponse().status == status)
      }
      #expect(try server.get("/a").text == "GET /a")
    }
  }

  private static let mixes: [(String, [String])] = [
    (
      "80 cookies",
      ["Cookie: " + (10..<90).map { "name-\($0)=value-\($0)" }.joined(separator: "; ")]
    ),
    ("a cookie of 4,700 bytes", ["Cookie: a=" + String(repeating: "b", count: 4700)]),
    ("a cookie of 7,500 bytes", ["Cookie: a=" + String(repeating: "b", count: 7500)]),
    ("thousands of empty cookies", ["Cookie: " + String(repeating: ";", count: 7500)]),
    ("40 cookie fields", (10..<50).map { "Cookie: a\($0)=" + String(repeating: "b", count: 100) }),
    ("a cookie in quotes", ["Cookie: a=\"" + String(repeating: ";b", count: 3500)]),
    ("50 fields of 80 bytes", (10..<60).map { "X-\($0): " + String(repeating: "y", count: 75) }),
  ]

  @Test(arguments: mixes, [TestWire.plain, .secure])
  func `passes heads of up to 8 KiB to the handler, whatever fields they contain`(
    _ mix: (name: String, fields: [String]), _ wire: TestWire
  ) async throws {
    try await TestServer.run(
      over: wire,
      handler: { $0.respond(.text($0.request.path)) },
      test: { server in
        let client = try server.connect()
        for _ in 0..<2 {
          try client.request("GET", "/a", fields: mix.fields)
          #expect(try client.readResponse().text == "/a")
        }
      }
    )
  }

  @Test(arguments: [65, 100, 150, 200], [TestWire.plain, .secure])
  func `rejects too many fields or query pairs with exactly one problem response`(
    _ count: Int, _ wire: TestWire
  ) async throws {
    try await TestServer.run(
      over: wire,
      handler: { $0.respond(.text("\($0.request.fields.count)")) },
      test: { server in
        for (head, status) in [
          ("GET / HTTP/1.1\r\nHost: b" + String(repeating: "\r\nA:b", count: count), 431),
          ("GET /?" + String(repeating: "&a", count: count) + " HTTP/1.1\r\nHost: b", 414),
        ] {
          let client = try server.connect()
          try client.send(head + "\r\n\r\n")
          let response = try client.readResponse()
          #expect(response.status == status)
          #expect(response["Content-Type"] == "application/problem+json")
          #expect(try client.readToEnd().isEmpty)
        }
      }
    )
  }

  @Test(arguments: [64, 300, 2000, 7000, 15_000])
  func `pipelined requests with the maximum number of fields get long responses`(
    _ count: Int
  ) async throws {
    let value = String(repeating: "v", count: 3000)
    try await TestServer.run(
      handler: { exchange in
        var response = Response.text(exchange.request.path)
        response.fields[.location] = value
        exchange.respond(response)
      },
      test: { server in
        let client = try server.connect()
        let fields = (0..<62).map { _ in "\r\nA:b" }.joined()
        let next = "POST /b HTTP/1.1\r\nHost: b\r\nContent-Length: \(count)\r\n\r\n"
        try client.send(
          "POST /a HTTP/1.1\r\nHost: b\(fields)\r\nContent-Length: 4\r\n\r\nbody" + next
            + String(repeating: "x", count: count)
        )
        for path in ["/a", "/b"] {
          let response = try client.readResponse()
          #expect(response["Location"] == value)
          #expect(response.text == path)
        }
      }
    )
  }

  @Test(
    arguments: [
      ("+5", 400), ("-1", 400), ("0x5", 400), ("5, 5", 400), ("18446744073709551616", 413),
    ]
  )
  func `rejects an invalid Content-Length, whole or in pieces`(
    _ length: String, _ status: Int
  ) async throws {
    try await run { server in
      for isWhole in [true, false] {
        let client = try server.connect()
        let head = "POST / HTTP/1.1\r\nHost: b\r\nContent-Length: \(length)\r\n\r\n"
        if isWhole { try client.send(head) } else { try client.sendByteByByte(head) }
        // libmicrohttpd sends its own page, 0.9.75 with two heads. 1.0.10 has 400 for all of them.
        let line = try client.readLine()
        #expect(line.hasPrefix("HTTP/1.1 \(status) ") || line.hasPrefix("HTTP/1.1 400 "))
        _ = try client.readToEnd()
      }
    }
  }

  @Test func `responds to pipelined requests in order`() async throws {
    try await run { server in
      let client = try server.connect()
      let count = 50
      try client.send(
        (0..<count).map { number in
          number.isMultiple(of: 2)
            ? "GET /\(number) HTTP/1.1\r\nHost: b\r\n\r\n"
            : "POST /\(number) HTTP/1.1\r\nHost: b\r\nContent-Length: 4\r\n\r\nGET "
        }
        .joined()
      )
      for number in 0..<count {
        let method = number.isMultiple(of: 2) ? "GET" : "POST"
        #expect(try client.readResponse().text == "\(method) /\(number)")
      }
    }
  }

  @Test(arguments: [("1.0", "keep-alive", "keep-alive"), ("1.1", "close", "close")])
  func `the Connection field of a response states whether the connection stays open`(
    _ version: String, _ requested: String, _ connection: String
  ) async throws {
    try await run { server in
      let client = try server.connect()
      try client.send("GET / HTTP/\(version)\r\nHost: b\r\nConnection: \(requested)\r\n\r\n")
      let response = try client.readResponse()
      #expect(response["Connection"]?.lowercased() == connection)
      if connection == "close" {
        #expect(try client.readToEnd().isEmpty)
      } else {
        try client.request("GET", "/again")
        #expect(try client.readResponse().text == "GET /again")
      }
    }
  }
}
