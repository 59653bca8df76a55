import HTTPSignals
import HTTPTypes
import MailingList
import Services
import TestSupport
import Testing

/// `POST /subscribers` from clients that exceed their rate.
@Suite struct SignUpRateTests {
  private let service = ServiceUnderTest {
    $0.signUpRate = .limited(count: 2, per: .seconds(60))
  }

  private func post(
    _ body: String, from client: ClientAddress = .v4(0xCB00_7109), to path: String = "/subscribers"
  ) -> TestResponse {
    service.send(.post(Array(body.utf8), as: "application/json", to: path, client: client))
  }

  @Test func `a sign-up over the rate gets 429 with Retry-After, and is not stored`()
    async throws
  {
    for name in ["a", "b"] {
      #expect(post("{\"email\":\"\(name)@example.org\"}").status == 202)
    }
    let rejection = post("{\"email\":\"c@example.org\"}")
    #expect(rejection.status == 429)
    #expect(rejection.problem == "too-many-requests")
    #expect(rejection["Retry-After"] == "30")
    #expect(try await service.store.addresses() == ["a@example.org", "b@example.org"])
    service.clock.advance(seconds: 30)
    #expect(post("{\"email\":\"c@example.org\"}").status == 202)
  }

  @Test(
    arguments: [
      "{\"email\":\"a@example.org\"}", "{\"email\":\"new@example.org\"}", "{\"email\":\"none\"}",
      "{", "",
    ]
  )
  func `the response to a sign-up over the rate does not depend on its body`(_ body: String) {
    for _ in 0..<2 { _ = post("{\"email\":\"a@example.org\"}") }
    let rejection = post(body)
    #expect(rejection.status == 429)
    #expect(
      rejection.text
        == #"{"type":"/problems/too-many-requests","title":"Too many requests","status":429,"#
        + #""detail":"Too many sign-ups from your network. "#
        + #"Please wait a minute, then try again.","#
        + #""instance":"/subscribers"}"#
    )
  }

  @Test func `invalid sign-ups count, so the count reveals nothing about the list`() {
    #expect(post("{\"email\":\"none\"}").status == 422)
    #expect(post("{").status == 400)
    #expect(post("{\"email\":\"a@example.org\"}").status == 429)
  }

  @Test func `the sign-up rate does not limit clients behind an untrusted proxy`() {
    for _ in 0..<5 {
      let request = Request(
        method: .post, path: "/subscribers",
        fields: FieldList(["Content-Type": "application/json"]),
        body: Array("{\"email\":\"a@example.org\"}".utf8),
        source: RequestSource(client: .v4(0x0A00_0001), peer: .untrustedProxy))
      #expect(service.send(request).status == 202)
    }
  }

  @Test func `a limited client affects neither other clients nor other paths`() {
    for _ in 0..<3 { _ = post("{\"email\":\"a@example.org\"}") }
    #expect(post("{\"email\":\"b@example.org\"}", from: .v4(0xC633_6401)).status == 202)
    #expect(post("{\"email\":\"b@example.org\"}", from: .v4(0x7F00_0001)).status == 202)
    #expect(post("{\"email\":\"b@example.org\"}", to: "/email-checks").status == 200)
  }
}
