import TestSupport
import Testing

/// Tests of requests to the public listener: what cannot be fulfilled, HEAD, and hostile bytes.
@Suite struct RequestTests {
  @Test func `a request that cannot be fulfilled gets a problem with a type`() throws {
    let service = try Enlist(.operating + ["--max-body", "1KiB"])
    let form = "email=ana@example.com"
    try service.expect([
      Row("POST /subscribers", 415, "unsupported-media-type", form: form, as: "text/plain"),
      Row("POST /subscribers", 400, "malformed-body", json: "[1]"),
      Row("POST /subscribers", 422, "invalid-field", json: #"{"email":1}"#),
      Row("POST /subscribers", 413, "too-large", fields: ["Content-Length: 1025"]),
      Row(
        "POST /subscribers", 403, "origin-not-allowed", form: form,
        fields: ["Origin: https://other.example"]),
      Row("POST /email-checks", 415, "unsupported-media-type", form: form, as: "text/plain"),
      Row("POST /nowhere", 404, "not-found", json: "{}"),
      Row("PUT /subscribers", 405, "method-not-allowed", json: "{}"),
      Row("GET /subscribers", 405, "method-not-allowed"),
      Row("GET /executions/none", 404, "not-found"),
      Row("GET /executions/none/events", 404, "not-found"),
      Row("POST /executions/none/code", 404, "not-found", json: #"{"code":"123456"}"#),
      Row("GET /thanks/none", 404, "not-found"),
      Row("GET /confirm/none", 404, "not-found"),
      Row("POST /unsubscribe/none", 404, "not-found", form: ""),
      Row("GET /problems/none", 404, "not-found"),
      Row("GET /logo", 404, "not-found"),
      Row("GET /status%00x", 404, "not-found"),
      Row("DELETE /status", 405, "method-not-allowed"),
      Row("GET /", 400, "malformed-request", fields: ["Host: b"]),
      // They are on the operator's listener.
      Row("GET /metrics", 404, "not-found"),
      Row("GET /openapi-operator.json", 404, "not-found"),
      // The service goes on.
      Row("POST /subscribers", 202, form: form),
    ])
    let addresses = try service.addresses()
    #expect(addresses == ["ana@example.com"])
  }

  @Test func `an invalid address is rejected with a reason`() throws {
    let service = try Enlist()
    for (typed, code) in [
      ("nobody", "missingAt"), ("", "empty"), ("a@b", "singleLabelDomain"),
      ("a@b@example.com", "multipleAt"),
    ] {
      let response = try service.signUp(typed).expect(422, "invalid-email")
      #expect(response["Content-Type"] == "application/problem+json")
      #expect(response.text.contains(#""pointer":"/email","code":"\#(code)""#), "\(response)")
      if !typed.isEmpty { #expect(!response.text.contains(typed), "\(response)") }
    }
    let addresses = try service.addresses()
    #expect(addresses.isEmpty)
  }

  // MARK: HEAD (RFC 9110 §9.3.2)

  @Test func `HEAD returns the status and header fields of GET without content`() throws {
    let service = try Enlist(["--allowed-origins", "https://example.org"])
    let id = try service.signUp("ana@example.com").expect(202).execution
    for path in [
      "/", "/embed.js", "/page.css", "/icon.svg", "/problems/invalid-email", "/problems/none",
      "/status", "/status?last_event_id=earliest", "/status?last_event_id=none-1",
      "/commands/subscribe", "/executions/\(id)", "/executions/\(id)/events",
      "/executions/\(id)/events?last_event_id=\(id)-2", "/thanks/\(id)", "/livez", "/readyz",
      "/nowhere", "/subscribers", "/email-checks",
    ] {
      for fields in [[], ["Accept: text/html"], ["Origin: https://example.org"]] {
        let client = try service.connect()
        try client.request("GET", path, fields: fields)
        let expected = try client.readHead()
        let isClosed = expected["Connection"] == "close"
        let asking = try service.connect()
        for _ in 0..<(isClosed ? 1 : 3) {
          try asking.request("HEAD", path, fields: fields)
          let response = try asking.readResponse(to: "HEAD")
          #expect(response.status == expected.status, "\(path) \(fields)")
          #expect(comparable(response) == comparable(expected), "\(path) \(fields)")
        }
        // A byte of content would come before the end, or corrupt the start of the next response.
        if isClosed {
          let rest = try asking.readToEnd()
          #expect(rest.isEmpty, "\(path) \(fields)")
        } else {
          try asking.request("GET", "/livez")
          try asking.readResponse().expect(200)
        }
      }
    }
  }

  /// Returns the header fields except those that depend on the time or the transfer of the content.
  private func comparable(_ response: Client.Response) -> [String] {
    response.fields.filter { !["Date", "Transfer-Encoding"].contains($0.name) }
      .map { "\($0.name): \($0.value)" }.sorted()
  }

  // MARK: Hostile bytes

  @Test func `a sign-up hidden behind an ambiguous request is not stored`() throws {
    let service = try Enlist(["--signup-rate", "off", "--request-timeout", "5s"])
    let attempts = SmugglingAttempt.heads + SmugglingAttempt.bodies
    #expect(attempts.count >= 34)
    let clients = try attempts.enumerated().map { number, attempt in
      let client = try service.connect()
      // The service no longer reads the rest of a request that it rejects in the middle.
      do {
        try client.send(attempt.request + hidden("hidden-\(number)@example.org"))
      } catch TestSystemError.system {}
      return (attempt, client)
    }
    for (attempt, client) in clients {
      var responses = ""
      do {
        responses = String(decoding: try client.readToEnd(), as: UTF8.self)
      } catch TestSystemError.system {}
      // libmicrohttpd 0.9 rejects an invalid length with two heads (docs/limits.md).
      let count = responses.ranges(of: "HTTP/1.1 2").count
      #expect(count <= 1, "\(attempt): \(responses)")
    }
    try service.signUp("visible@example.org").expect(202)
    let addresses = try service.addresses()
    #expect(addresses == ["visible@example.org"])
  }

  private func hidden(_ address: String) -> String {
    let body = "email=\(address)"
    return "POST /subscribers HTTP/1.1\r\nHost: a\r\n"
      + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(body.utf8.count)"
      + "\r\n\r\n\(body)"
  }

  /// Addresses with their reasons; each contains a marker to search for in the output.
  private static let hostile: [(bytes: [UInt8], reason: String)] = [
    (Array((String(repeating: "mallory", count: 9_363) + "@example.org").utf8), "tooLong"),
    (Array("mallory\u{0}@example.org".utf8), "controlCharacter"),
    (Array("mallory@example.org\r\nBcc: all@example.org".utf8), "controlCharacter"),
    (Array("mallory\u{1B}[2J@example.org".utf8), "controlCharacter"),
    (Array("mallory\u{2028}@example.org".utf8), "controlCharacter"),
    (Array("mallory".utf8) + [0xED, 0xA0, 0x80] + Array("@example.org".utf8), "invalidUnicode"),
    (Array("mallory\u{FFFD}@example.org".utf8), "invalidUnicode"),
    (Array("mallory\u{200B}@example.org".utf8), "invisibleCharacter"),
    (Array("mallory\u{202E}@example.org".utf8), "invisibleCharacter"),
    (Array("mallory@exam\u{2066}ple.org".utf8), "invisibleCharacter"),
  ]

  @Test(arguments: ["/subscribers", "/email-checks"])
  func `hostile input is rejected with a reason and appears in no log, header or stream`(
    path: String
  ) throws {
    let service = try Enlist(["--max-body", "1MiB"])
    let status = try service.stream()
    for (bytes, reason) in Self.hostile {
      for (type, body) in [
        ("application/json", json(bytes)), ("application/x-www-form-urlencoded", form(bytes)),
      ] {
        let client = try service.connect()
        try client.request(
          "POST", path, fields: ["Content-Type: \(type)", "Content-Length: \(body.count)"])
        try client.send(body)
        let response = try client.readResponse(to: "POST")
        #expect(response.text.contains("\"\(reason)\""), "\(type) \(reason): \(response)")
        // A suggestion may repeat the valid part of the input, but never the hostile part.
        #expect(response.body.allSatisfy { (0x20..<0x7F).contains($0) }, "\(response)")
        #expect(!response.text.contains("Bcc"), "\(response)")
        #expect(response.fields.allSatisfy { !"\($0)".contains("mallory") })
      }
    }
    // The stream has no event of the rejected inputs: this sign-up's event is the first.
    try service.signUp("ana@example.org").expect(202)
    let event = try #require(try status.readEvent())
    #expect(event.event == "started")
    #expect(!"\(event)".contains("mallory"))
    let addresses = try service.addresses()
    #expect(addresses == ["ana@example.org"])
    status.close()
    let log = try service.stop()
    #expect(!log.contains("mallory"))
    #expect(log.unicodeScalars.allSatisfy { $0 == "\n" || (0x20..<0x7F).contains($0.value) })
  }

  private func json(_ bytes: [UInt8]) -> [UInt8] {
    let text = bytes.flatMap { $0 < 0x20 ? Array("\\u00".utf8) + hexadecimal($0) : [$0] }
    return Array(#"{"email":""#.utf8) + text + Array(#""}"#.utf8)
  }

  private func form(_ bytes: [UInt8]) -> [UInt8] {
    Array("email=".utf8) + bytes.flatMap { Array("%".utf8) + hexadecimal($0) }
  }

  private func hexadecimal(_ byte: UInt8) -> [UInt8] {
    Array(((byte < 16 ? "0" : "") + String(byte, radix: 16)).utf8)
  }
}
