import Dispatch
import HTTPSignals
import HTTPTypes
import Signals
import Testing
import TestSupport

/// Requests as the handler receives them, and the connections on which they arrive.
@Suite struct ConnectionTests {
  /// Responds with the method, path, and body; from another thread if the path ends in `later`.
  private static let echo: @Sendable (Exchange) -> Void = { exchange in
    let request = exchange.request
    let text = "\(request.method) \(request.path) \(String(decoding: request.body, as: UTF8.self))"
    guard request.path.hasSuffix("later") else {
      exchange.respond(.text(text))
      return
    }
    DispatchQueue.global().async { exchange.respond(.text(text)) }
  }

  @Test(arguments: ["/now", "/later"])
  func `a connection stays open after GET, POST, and DELETE requests`(_ path: String) async throws {
    try await TestServer.run(handler: Self.echo) { server in
      let client = try server.connect()
      for _ in 0..<3 {
        try client.request("GET", path)
        let got = try client.readResponse()
        #expect(got.text == "GET \(path) ")
        try client.request("POST", path, body: "a=b")
        let posted = try client.readResponse()
        #expect(posted.text == "POST \(path) a=b")
        try client.request("DELETE", path)
        let deleted = try client.readResponse()
        #expect(deleted.text == "DELETE \(path) ")
        for response in [got, posted, deleted] { #expect(response["Connection"] == nil) }
      }
    }
  }

  @Test(arguments: ["/now", "/later"])
  func `requests that arrive together get their responses in order`(_ path: String) async throws {
    try await TestServer.run(handler: Self.echo) { server in
      let client = try server.connect()
      let requests = (0..<20).map { number in
        "POST \(path) HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n\(number + 10)"
          + "GET /\(number)\(path) HTTP/1.1\r\nHost: x\r\n\r\n"
      }
      try client.send(requests.joined())
      for number in 0..<20 {
        #expect(try client.readResponse().text == "POST \(path) \(number + 10)")
        #expect(try client.readResponse().text == "GET /\(number)\(path) ")
      }
    }
  }

  @Test func `a request can arrive one byte at a time`() async throws {
    try await TestServer.run(handler: Self.echo) { server in
      let client = try server.connect()
      try client.sendByteByByte(
        "POST /now HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\nemail=a%40b")
      #expect(try client.readResponse().text == "POST /now email=a%40b")
      let chunks = try server.connect()
      try chunks.sendByteByByte(
        "POST /now HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
          + "3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n"
      )
      #expect(try chunks.readResponse().text == "POST /now abcd")
    }
  }

  @Test func `a client that expects 100 Continue gets it`() async throws {
    try await TestServer.run(handler: Self.echo) { server in
      let client = try server.connect()
      try client.send(
        "POST /now HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
      #expect(try client.readLine() == "HTTP/1.1 100 Continue")
      #expect(try client.readLine().isEmpty)
      try client.send("ab")
      #expect(try client.readResponse().text == "POST /now ab")
    }
  }

  @Test func `a response to HEAD has the header fields of GET and no body`() async throws {
    let stream = EventLog(capacity: 1)
    let handler: @Sendable (Exchange) -> Void = { exchange in
      if exchange.request.path == "/events" {
        exchange.respond(EventStream(log: stream, from: stream.head).response)
      } else {
        exchange.respond(.text("1234567"))
      }
    }
    try await TestServer.run(handler: handler) { server in
      let client = try server.connect()
      try client.request("HEAD", "/")
      let head = try client.readResponse(to: "HEAD")
      #expect(head.status == 200)
      #expect(head["Content-Length"] == "7")
      try client.request("GET", "/")
      #expect(try client.readResponse().text == "1234567")
      try client.request("HEAD", "/events")
      let events = try client.readResponse(to: "HEAD")
      #expect(events.status == 200)
      #expect(events["Content-Type"] == "text/event-stream")
      #expect(events["Content-Length"] == nil)
      #expect(try client.readToEnd().isEmpty)
    }
  }

  @Test func `header fields and the query reach the handler as they were sent`() async throws {
    let received = Lock<Request?>(nil)
    let handler: @Sendable (Exchange) -> Void = { exchange in
      received.withLock { $0 = exchange.request }
      exchange.respond(.text(""))
    }
    try await TestServer.run(handler: handler) { server in
      let client = try server.connect()
      try client.request(
        "GET", "/a%2Fb/c?x=1&y&x=%00z&last_event_id=k-1",
        fields: ["Last-Event-ID: k3f9-17", "X-Twice: a", "x-twice: b", "X-Empty:"])
      #expect(try client.readResponse().status == 200)
      let request = try #require(received.withLock { $0 })
      #expect(request.path == "/a%2Fb/c")
      #expect(request.query.values(of: HTTPField.Name(literal: "x")) == ["1", "%00z"])
      #expect(request.query.first(HTTPField.Name(literal: "y")) == "")
      #expect(request.query.first(HTTPField.Name(literal: "last_event_id")) == "k-1")
      #expect(request.fields.first(.lastEventID) == "k3f9-17")
      #expect(request.fields.values(of: HTTPField.Name(literal: "x-twice")) == ["a", "b"])
      #expect(request.fields.first(HTTPField.Name(literal: "x-empty")) == "")
      #expect(request.fields.first(.hostField) == "localhost")
      #expect(request.client == .v4(0x7F00_0001))
    }
  }

  @Test(arguments: ["/status%00x", "/%00", "/%zz", "/%"])
  func `a path reaches the handler without percent-decoding or truncation`(
    _ path: String
  )
    async throws
  {
    try await TestServer.run(handler: { $0.respond(.text($0.request.path)) }) { server in
      let response = try server.get(path)
      #expect(response.text == path)
    }
  }

  @Test func `a header field that is too long gets 431 without reaching the handler`() async throws
  {
    try await TestServer.run(handler: Self.echo) { server in
      let client = try server.connect()
      try client.request("GET", "/", fields: ["X: \(String(repeating: "x", count: 20_000))"])
      #expect(try client.readResponse().status == 431)
      #expect(try server.get("/now").status == 200)
    }
  }

  @Test func `an HTTP/1.0 request gets a response and a close`() async throws {
    try await TestServer.run(handler: Self.echo) { server in
      let client = try server.connect()
      try client.send("GET /later HTTP/1.0\r\n\r\n")
      #expect(try client.readResponse().text == "GET /later ")
      #expect(try client.readToEnd().isEmpty)
    }
  }
}
