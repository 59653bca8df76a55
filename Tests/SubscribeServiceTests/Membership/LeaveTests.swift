import HTTPSignals
import HTTPTypes
import MailingList
import Security
import Services
import TestSupport
import Testing

/// `/unsubscribe/{token}`, also as mail programs use it (RFC 8058).
@Suite struct LeaveTests {
  private static let email = "ada@example.org"

  private let service = DoubleOptInService(
    allowedOrigins: AllowedOrigins("https://site.example") ?? .none)

  /// Puts the person into a state, and returns the path of a link to leave.
  private func path(_ state: ListState) -> String {
    if let membership = state.membership(before: service.clock.now) {
      service.members.set(membership, of: Self.email)
    }
    let mail = service.members.mail(Self.email, at: service.clock.now)
    return "/unsubscribe/\(mail.unsubscribe.text)"
  }

  @Test(arguments: [.get, .head] as [HTTPRequest.Method], ListState.allCases)
  func `shows one button in every state, and changes nothing`(
    method: HTTPRequest.Method, state: ListState
  ) throws {
    let path = path(state)
    let before = service.members.membership(Self.email)
    let page = service.send(method, path)
    #expect(page.status == 200)
    #expect(page.text.split(separator: "<button").count == 2)
    #expect(page.text.contains("News &amp; &lt;Views&gt; will no longer be sent to you."))
    #expect(!page.text.contains("<script"))
    #expect(page["Referrer-Policy"] == "no-referrer")
    #expect(page["Content-Security-Policy"]?.contains("script") == false)
    #expect(page["Set-Cookie"] == nil)
    #expect(service.members.takeCalls() == ["read"])
    #expect(service.members.membership(Self.email) == before)
  }

  @Test(arguments: ListState.allCases)
  func `leaving has the same response in every state, each time, without a redirect`(
    state: ListState
  ) {
    let path = path(state)
    for _ in 0..<2 {
      let page = service.send(.post, path)
      #expect(page.status == 200)
      #expect(page.text.contains("<h1>You have left News &amp; &lt;Views&gt;</h1>"))
      #expect(page.text.contains("<form action=\"/\">"), "the way back is a sign-up")
      #expect(page["Location"] == nil)
      #expect(page["Set-Cookie"] == nil)
    }
    let response = service.send(.post, path, isBrowser: false)
    #expect(response.status == 200)
    #expect(response.text == #"{"state":"unsubscribed"}"#)
    let after = service.members.membership(Self.email)?.state
    #expect(after == .unsubscribed || after == .suppressed)
  }

  @Test(
    arguments: [
      ("List-Unsubscribe=One-Click", "application/x-www-form-urlencoded", .oneClick),
      (
        "--b\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\nOne-Click\r\n--b--",
        "multipart/form-data; boundary=b", .oneClick
      ),
      ("", nil, .link), ("", "application/x-www-form-urlencoded", .link),
      ("\u{0}{", "text/plain", .link), ("%", "application/x-www-form-urlencoded", .link),
    ] as [(String, String?, ConsentMeans)]
  )
  func `a mail program unsubscribes with a form, a multipart form, or no body`(
    body: String, type: String?, means: ConsentMeans
  ) {
    let path = path(.subscribed)
    let response = service.send(
      .post, path, isBrowser: false, body: body, as: type,
      fields: ["Origin": "https://mail.example", "Sec-Fetch-Site": "cross-site"])
    #expect(response.status == 200)
    #expect(service.members.membership(Self.email)?.state == .unsubscribed)
    #expect(service.members.consents("withdrawn").map(\.means) == [means.rawValue])
  }

  @Test func `no rate limits leaving`() {
    let service = DoubleOptInService { dependencies in
      dependencies.signUpRate = .limited(count: 1, per: .seconds(3600))
      dependencies.checkRate = .limited(count: 1, per: .seconds(3600))
    }
    let token = service.members.mail(Self.email, at: service.clock.now).unsubscribe.text
    for _ in 0..<50 {
      let request = Request(method: .post, path: "/unsubscribe/\(token)", client: .v4(0xCB00_7109))
      #expect(service.service.send(request).status == 200)
    }
  }

  @Test func `a link to leave never expires`() {
    let path = path(.pending)
    service.clock.advance(seconds: 10 * 365 * 86_400)
    #expect(service.send(.post, path).status == 200)
    #expect(service.members.membership(Self.email)?.state == .unsubscribed)
  }

  @Test(arguments: [.get, .head, .post] as [HTTPRequest.Method])
  func `an unknown link is not found`(method: HTTPRequest.Method) {
    let confirming = service.members.mail(Self.email, at: service.clock.now).confirm.text
    for token in [String(repeating: "A", count: 43), confirming, "x"] {
      #expect(service.send(method, "/unsubscribe/\(token)").status == 404)
      let problem = service.send(method, "/unsubscribe/\(token)", isBrowser: false)
      #expect(problem.problem == "not-found")
    }
  }

  @Test func `a link of an export leaves, confirms nothing, and shows one button before`() {
    _ = path(.subscribed)
    let person = SubscriberReference(id: 1, createdAt: 1_800_000_000_000)
    let token = service.members.keys.token(of: person).text
    let page = service.send(.get, "/unsubscribe/\(token)")
    #expect(page.status == 200)
    #expect(page.text.split(separator: "<button").count == 2)
    #expect(service.send(.post, "/confirm/\(token)").status == 404)
    #expect(service.members.membership(Self.email)?.state == .subscribed)
    for _ in 0..<2 {
      #expect(service.send(.post, "/unsubscribe/\(token)", isBrowser: false).status == 200)
      #expect(service.members.membership(Self.email)?.state == .unsubscribed)
    }
    let erased = service.members.keys.token(of: SubscriberReference(id: 9, createdAt: 0)).text
    #expect(service.send(.post, "/unsubscribe/\(erased)", isBrowser: false).status == 200)
  }

  @Test func `links work with single opt-in, too`() {
    let service = ServiceUnderTest()
    let mail = service.store.mail(Self.email, at: service.clock.now)
    #expect(service.get("/unsubscribe/\(mail.unsubscribe.text)").status == 200)
    let request = Request(method: .post, path: "/confirm/\(mail.confirm.text)")
    #expect(service.send(request).status == 200)
  }
}
