import HTTPSignals
import HTTPTypes
import Signals
import TestSupport
import Testing

/// Request heads that two programs can interpret differently.
@Suite struct RequestValidationTests {
  private static let smuggled = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"

  @Test(
    arguments: [
      ("two lengths", "Host: a\r\nContent-Length: 0\r\nContent-Length: 36"),
      ("a length and chunks", "Host: a\r\nContent-Length: 36\r\nTransfer-Encoding: chunked"),
      ("two encodings", "Host: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked"),
      ("another encoding", "Host: a\r\nTransfer-Encoding: gzip, chunked"),
      ("an encoding that only looks like chunked", "Host: a\r\nTransfer-Encoding: xchunked"),
      ("white space after an encoding", "Host: a\r\nTransfer-Encoding: chunked "),
      ("a tab after an encoding", "Host: a\r\ntransfer-encoding: chunked\t"),
      ("a space before the colon", "Host: a\r\nContent-Length : 36"),
      ("a name that is not a token", "Host: a\r\n(x): 36"),
      ("no host", "Accept: */*"),
      ("an empty host", "Host: \r\nAccept: */*"),
      ("two hosts", "Host: a\r\nHost: b"),
    ]
  )
  func `rejects ambiguous heads and reads no request from the bytes after them`(
    _ what: String, _ fields: String
  ) async throws {
    let paths = Lock<[String]>([])
    try await TestServer.run(
      handler: { exchange in
        paths.withLock { $0.append(exchange.request.path) }
        exchange.respond(.text("responded"))
      },
      test: { server in
        let client = try server.connect()
        try client.send("POST /first HTTP/1.1\r\n\(fields)\r\n\r\n\(Self.smuggled)")
        let response = try client.readResponse()
        // 501 from libmicrohttpd 1.0.10, for another encoding.
        #expect([400, 501].contains(response.status))
        #expect(try client.readToEnd().isEmpty)
      }
    )
    #expect(paths.withLock { $0 }.isEmpty)
  }

  @Test(
    arguments: [
      "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET / HTTP/1.0\r\n\r\n",
      "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\nok",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    ]
  )
  func `accepts unambiguous heads`(_ request: String) async throws {
    try await TestServer.run(
      handler: { $0.respond(.text("responded")) },
      test: { server in
        let client = try server.connect()
        try client.send(request)
        #expect(try client.readResponse().text == "responded")
      }
    )
  }

  @Test(
    arguments: [
      ("*", "*"), ("   *", "*"), ("* ", "*"), ("\t*\t \t", "*"), ("a \t b  ", "a \t b"), ("  ", ""),
    ]
  )
  func `white space around the value of a field is not part of it`(
    sent: String, value: String
  ) async throws {
    try await TestServer.run(
      handler: { $0.respond(.text("<\($0.request.fields.first(.ifMatch) ?? "none")>")) },
      test: { server in
        let client = try server.connect()
        try client.send("GET / HTTP/1.1\r\nHost: a \r\nIf-Match:\(sent)\r\nAccept: */*\r\n\r\n")
        #expect(try client.readResponse().text == "<\(value)>")
      }
    )
  }

  @Test(arguments: ["/", "/?", "/?x=", "/?x=1&"])
  func `rejects a byte that a target must not contain, in the path and in the query`(
    target: String
  ) async throws {
    try await TestServer.run(
      handler: { $0.respond(.text("responded")) },
      test: { server in
        for byte in [0x01, 0x09, 0x1F, 0x20, 0x7F, 0x80, 0xC3, 0xFF] as [UInt8] {
          let client = try server.connect()
          let rest = Array("b HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
          try client.send(Array("GET \(target)a".utf8) + [byte] + rest)
          let response = try client.readResponse()
          #expect(response.status == 400, "\(byte)")
          #expect(try client.readToEnd().isEmpty)
        }
      }
    )
  }

  @Test func `rejects such a byte in a query whose head arrives in pieces`() async throws {
    try await TestServer.run(
      handler: { $0.respond(.text("responded")) },
      test: { server in
        let client = try server.connect()
        try client.send("GET /?x=\u{1} HTTP/1.1\r\nHost:")
        #expect(try client.readResponse().status == 400)
      }
    )
  }
}
