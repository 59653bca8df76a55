import TestSupport
import Testing

/// HEAD on every route that GET has (RFC 9110 §9.3.2).
@Suite struct HeadTests {
  private static let paths = [
    "/", "/embed.js", "/page.css", "/icon.svg", "/problems/invalid-email", "/problems/none",
    "/status", "/status?last_event_id=earliest", "/status?last_event_id=none-1",
    "/commands/subscribe", "/executions/{id}", "/executions/{id}/events",
    "/executions/{id}/events?last_event_id={id}-2", "/thanks/{id}", "/livez", "/readyz",
    "/nowhere", "/subscribers", "/email-checks",
  ]

  @Test(arguments: paths)
  func `has the status and the fields of GET, and no content`(_ path: String) throws {
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
        // A byte of content would be taken for the beginning of the next answer.
        for _ in 0..<3 { try expectHead(of: target, fields, on: asking, like: expected) }
        try asking.request("GET", "/livez")
        #expect(try asking.readResponse().status == 200)
      }
    }
  }

  private func expectHead(
    of target: String,
    _ fields: [String],
    on client: SocketClient,
    like expected: TestResponse
  ) throws {
    try client.request("HEAD", target, fields: fields)
    let response = try client.readResponse(to: "HEAD")
    #expect(response.status == expected.status)
    #expect(comparable(response) == comparable(expected))
  }

  /// The fields without those that a moment or the way of sending the content decides.
  private func comparable(_ response: TestResponse) -> [String] {
    response.fields.filter { !["Date", "Transfer-Encoding"].contains($0.name) }
      .map { "\($0.name): \($0.value)" }.sorted()
  }
}
