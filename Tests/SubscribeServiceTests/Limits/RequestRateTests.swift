import HTTPSignals
import HTTPTypes
import MailingList
import Services
import TestSupport
import Testing

/// Email checks and event streams from clients that exceed their rate.
@Suite struct RequestRateTests {
  private let service = ServiceUnderTest {
    $0.checkRate = .limited(count: 2, per: .seconds(60))
    $0.streamRate = .limited(count: 2, per: .seconds(60))
  }
  private static let client = ClientAddress.v4(0xCB00_7109)

  private func check(
    _ body: String = "email=ada@example.org", language: String = "en",
    from client: ClientAddress = client
  ) -> TestResponse {
    let type = "application/x-www-form-urlencoded"
    return service.send(
      .post(
        Array(body.utf8), as: type, to: "/email-checks", client: client,
        fields: ["Accept-Language": language]))
  }

  private func open(
    _ path: String, _ method: HTTPRequest.Method = .get, accept: String = "*/*",
    from client: ClientAddress = client
  ) -> TestResponse {
    let fields = FieldList(["Accept": accept, "Origin": "https://site.example"])
    return service.send(Request(method: method, path: path, fields: fields, client: client))
  }

  @Test func `rejects an email check over the rate, whatever its body`() {
    #expect(check().status == 200)
    #expect(check("%").status == 400)
    for body in ["email=ada@example.org", "email=%", ""] {
      let response = check(body)
      #expect(response.status == 429)
      #expect(response.problem == "too-many-requests")
      #expect(response["Retry-After"] == "30")
      #expect(response.text.contains("Too many email checks from your network."))
    }
    #expect(check(language: "de").text.contains("Zu viele Adressprüfungen"))
    #expect(check(from: .v4(0xC633_6401)).status == 200)
    for _ in 0..<5 { #expect(check(from: .v4(0x7F00_0001)).status == 200) }
    service.clock.advance(seconds: 30)
    #expect(check().status == 200)
  }

  @Test func `each kind of request has its own rate`() {
    for _ in 0..<3 { _ = check() }
    #expect(open("/status").status == 200)
    let body = Array(#"{"email":"ada@example.org"}"#.utf8)
    for _ in 0..<5 {
      let request = Request.post(body, as: "application/json", client: Self.client)
      #expect(service.send(request).status == 202)
    }
  }

  @Test func `rejects streams over the rate, and has an EventSource reconnect later`() throws {
    let id = try #require(service.signUp().id)
    #expect(open("/status").status == 200)
    #expect(open("/executions/\(id)/events").status == 200)
    for path in ["/status", "/executions/\(id)/events"] {
      let response = open(path)
      #expect(response.status == 429)
      #expect(response.problem == "too-many-requests")
      #expect(response["Retry-After"] == "30")
      #expect(response.text.contains("Too many event streams were opened"))

      // An error status would end an EventSource permanently.
      let deferred = open(path, accept: "text/event-stream")
      #expect(deferred.status == 200)
      #expect(deferred["Content-Type"] == "text/event-stream")
      #expect(deferred["Connection"] == "close")
      let lines = deferred.text.split(separator: "\n", omittingEmptySubsequences: false)
      #expect(lines.dropFirst() == [": busy", ""])
      let retry = try #require(lines.first.flatMap { Int($0.dropFirst("retry: ".count)) })
      #expect((20_000...40_000).contains(retry))
    }
    #expect(open("/status", from: .v4(0xC633_6401)).status == 200)
    for _ in 0..<5 { #expect(open("/status", from: .v6(0, 1)).status == 200) }
    service.clock.advance(seconds: 30)
    #expect(open("/status", accept: "text/event-stream").text.isEmpty)
  }

  @Test func `streams of unknown executions count; OPTIONS and HEAD requests do not`() {
    for _ in 0..<5 {
      #expect(open("/status", .options).status == 403)
      #expect(open("/status", .head).status == 200)
      #expect(open("/commands/subscribe").status == 200)
    }
    #expect(open("/executions/none/events").status == 404)
    #expect(open("/executions/none/events").status == 404)
    #expect(open("/executions/none/events").status == 429)
  }
}
