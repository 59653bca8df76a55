import TestSupport
import Testing

/// Tests of HEAD on every GET route (RFC 9110 §9.3.2).
@Suite struct HeadTests {
  private static let paths = [
    "/", "/embed.js", "/page.css", "/icon.svg", "/problems/invalid-email", "/problems/none",
    "/status", "/status?last_event_id=earliest", "/status?last_event_id=none-1",
    "/commands/subscribe", "/executions/{id}", "/executions/{id}/events",
    "/executions/{id}/events?last_event_id={id}-2", "/thanks/{id}", "/livez", "/readyz",
    "/nowhere", "/subscribers", "/email-checks",
  ]

  @Test(arguments: paths)
  func `HEAD returns the status and header fields of GET without content`(_ path: String) throws {
    let service = try RunningService(["--allowed-origins", "https://example.org"])
    let id = try service.signUp("ana@example.com").execution()
    let target = path.replacing("{id}", with: id)
    for fields in [[], ["Accept: text/html"], ["Origin: https://example.org"]] {
      let client = try service.connect()
      try client.request("GET", target, fields: fields)
      let expected = try client.readHead()

      let asking = try service.connect()
      if expected["Connection"] == "close" {
        try expectHead(of: target, fields, on: asking, like: expected)
        #expect(try asking.readToEnd().isEmpty)
      } else {
        // A byte of content would corrupt the start of the next response.
        for _ in 0..<3 { try expectHead(of: target, fields, on: asking, like: expected) }
        try asking.request("GET", "/livez")
        #expect(try asking.readResponse().status == 200)
      }
    }
  }

  private func expectHead(
    of target: String, _ fields: [String], on client: SocketClient, like expected: TestResponse
  ) throws {
    try client.request("HEAD", target, fields: fields)
    let response = try client.readResponse(to: "HEAD")
    #expect(response.status == expected.status)
    #expect(comparable(response) == comparable(expected))
  }

  /// Returns the header fields except those that depend on the time or the transfer of the content.
  private func comparable(_ response: TestResponse) -> [String] {
    response.fields.filter { !["Date", "Transfer-Encoding"].contains($0.name) }
      .map { "\($0.name): \($0.value)" }.sorted()
  }
}
