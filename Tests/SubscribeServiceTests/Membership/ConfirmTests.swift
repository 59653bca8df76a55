import HTTPSignals
import HTTPTypes
import MailingList
import Platform
import Security
import Services
import TestSupport
import Testing

/// `/confirm/{token}` and `/confirm/{token}/mail`.
@Suite struct ConfirmTests {
  private static let email = "ada@example.org"
  private static let unknown = String(repeating: "A", count: 43)

  private let service = DoubleOptInService(
    allowedOrigins: AllowedOrigins("https://site.example") ?? .none)

  /// Signs up and returns the mail.
  private func mail(next: String? = nil) -> ControlledStore.Mail {
    let more = next.map { ",\"next\":\"\($0)\"" } ?? ""
    service.service.post("{\"email\":\"\(Self.email)\"\(more)}")
    service.clock.advance(seconds: 1)
    return service.members.mail(Self.email, at: service.clock.now)
  }

  @Test(arguments: [.get, .head] as [HTTPRequest.Method])
  func `shows one form with one button and no script, and changes nothing`(
    method: HTTPRequest.Method
  ) throws {
    let token = mail().confirm.text
    _ = service.members.takeCalls()
    let page = service.send(method, "/confirm/\(token)")
    #expect(page.status == 200)
    #expect(page.text.split(separator: "<form").count == 2)
    #expect(page.text.split(separator: "<button").count == 2)
    #expect(page.text.contains(#"<form method="post">"#))
    #expect(page.text.contains("Press the button, and News &amp; &lt;Views&gt; will be sent"))
    #expect(!page.text.contains("<script"))
    #expect(!page.text.contains(token))
    let policy = try #require(page["Content-Security-Policy"])
    #expect(policy.hasPrefix("default-src 'none'; style-src 'self'; img-src 'self'; form-action"))
    #expect(policy.contains("form-action 'self' https://site.example;"))
    #expect(!policy.contains("script"))
    #expect(page["Referrer-Policy"] == "no-referrer")
    #expect(page["Cache-Control"] == "no-store, no-transform")
    #expect(page["X-Robots-Tag"] == "noindex")
    #expect(page["Set-Cookie"] == nil)
    #expect(service.members.takeCalls() == ["read"])
    #expect(service.members.membership(Self.email)?.state == .pending)
  }

  @Test(arguments: [
    ".", ")", ">", "\"", ",", ";", "!", "'", "]", ":", "*", "%3E", "%22", "%29", "%3e", ").",
    "%22%3E", "!!!", "%E2%80%9D", "%C2%BB.", "%EF%BC%89", "%20", "|", "%60",
  ])
  func `the punctuation that a mail program takes into a link does not matter`(_ end: String) {
    let mail = mail()
    for kind in ["confirm", "unsubscribe"] {
      let token = (kind == "confirm" ? mail.confirm : mail.unsubscribe).text
      for method in [.get, .head, .post] as [HTTPRequest.Method] {
        let page = service.send(method, "/\(kind)/\(token)\(end)")
        #expect(page.status == 200)
        #expect(page["Referrer-Policy"] == "no-referrer")
      }
    }
    #expect(service.members.membership(Self.email)?.state == .unsubscribed)
    let renewal = service.send(.post, "/confirm/\(mail.confirm.text)\(end)/mail")
    #expect(renewal.status == 200)
  }

  @Test(arguments: ["en", "de", "fr", "es", "zh-CN"])
  func `speaks the visitor's language`(language: String) {
    let path = "/confirm/\(mail().confirm.text)"
    let page = service.send(.get, path, fields: ["Accept-Language": language])
    #expect(page.text.contains("<html lang=\"\(language == "zh-CN" ? "zh-Hans" : language)\">"))
    #expect(page.text.contains("Press the button") == (language == "en"))
    #expect(page.text.contains("News &amp; &lt;Views&gt;"))
  }

  @Test func `confirms once, and then says that the person is subscribed already`() {
    let path = "/confirm/\(mail().confirm.text)"
    let first = service.send(.post, path)
    #expect(first.status == 200)
    #expect(first.text.contains("<h1>You are subscribed</h1>"))
    #expect(service.members.membership(Self.email)?.confirmedAt == service.clock.now)
    for _ in 0..<2 {
      let again = service.send(.post, path)
      #expect(again.status == 200)
      #expect(again.text.contains("<h1>You are already subscribed</h1>"))
      #expect(again["Referrer-Policy"] == "no-referrer")
    }
    let page = service.send(.get, path)
    #expect(page.status == 200)
    #expect(page.text.contains("<h1>You are already subscribed</h1>"))
    #expect(!page.text.contains("<button"))
  }

  @Test func `a program gets the state as JSON each time`() {
    let path = "/confirm/\(mail().confirm.text)"
    for _ in 0..<3 {
      let response = service.send(.post, path, isBrowser: false)
      #expect(response.status == 200)
      #expect(response.text == #"{"state":"subscribed"}"#)
      #expect(response["Cache-Control"] == "no-store")
    }
  }

  @Test(arguments: [nil, "application/json", "text/plain", "multipart/form-data"])
  func `any body, or none, and any origin confirm`(type: String?) {
    let path = "/confirm/\(mail().confirm.text)"
    let fields: KeyValuePairs = ["Origin": "https://evil.example"]
    #expect(service.send(.post, path, body: "\u{0}{", as: type, fields: fields).status == 200)
    #expect(service.members.membership(Self.email)?.state == .subscribed)
  }

  @Test func `leads on to the page of the sign-up each time, while it is allowed`() {
    let next = "https://site.example/welcome?x=1"
    let path = "/confirm/\(mail(next: next).confirm.text)"
    for _ in 0..<2 {
      let response = service.send(.post, path)
      #expect(response.status == 303)
      #expect(response["Location"] == next)
      #expect(response["Cache-Control"] == "no-store")
      #expect(response["Referrer-Policy"] == "no-referrer")
    }
    #expect(service.send(.post, path, isBrowser: false).status == 200)
    let restarted = DoubleOptInService(members: service.members)
    #expect(restarted.send(.post, path).status == 200)
  }

  @Test func `keeps no page that is not allowed`() {
    let path = "/confirm/\(mail(next: "https://evil.example/").confirm.text)"
    #expect(service.members.signUps.map(\.consent.next) == [nil])
    #expect(service.send(.post, path).status == 200)
  }

  @Test(arguments: [.get, .head, .post] as [HTTPRequest.Method], [false, true])
  func `an expired link, and one from before leaving, lead to one button for a new link`(
    method: HTTPRequest.Method, hasLeft: Bool
  ) {
    let mail = mail()
    if hasLeft {
      service.clock.advance(seconds: 1)
      service.send(.post, "/unsubscribe/\(mail.unsubscribe.text)")
    } else {
      service.clock.advance(seconds: 7 * 86_400)
    }
    let path = "/confirm/\(mail.confirm.text)"
    let page = service.send(method, path)
    #expect(page.status == 410)
    #expect(page["Content-Type"] == "text/html; charset=utf-8")
    #expect(page["Referrer-Policy"] == "no-referrer")
    #expect(page.text.split(separator: "<button").count == 2)
    #expect(page.text.contains("<form method=\"post\" action=\"\(path)/mail\">"))
    #expect(page.text.contains("<button>Send a new link</button>"))
    #expect(!page.text.contains("<script"))
    let problem = service.send(method, path, isBrowser: false)
    #expect(problem.status == 410)
    #expect(problem.problem == "token-expired")
    #expect(service.members.membership(Self.email)?.state != .subscribed)
  }

  @Test func `pages with a problem are counted like other responses with one`() throws {
    let registry = MetricRegistry([])
    let service = DoubleOptInService {
      $0.responsePolicy = ServiceResponsePolicy(
        allowedOrigins: .none, publicOrigin: nil, nextStep: .code, metrics: registry)
    }
    let id = try #require(service.service.signUp(Self.email).id)
    service.clock.advance(seconds: 1)
    let mail = service.members.mail(Self.email, at: service.clock.now)
    let rejection = service.send(
      .post, "/executions/\(id)/code", body: "code=\(mail.wrongCode)",
      as: "application/x-www-form-urlencoded")
    #expect(rejection.status == 422)
    service.clock.advance(seconds: 7 * 86_400)
    #expect(service.send(.get, "/confirm/\(mail.confirm.text)").status == 410)
    let text = String(decoding: registry.text(), as: UTF8.self)
    for problem in ["wrong-code", "token-expired"] {
      #expect(text.contains("enlist_problems_total{problem=\"\(problem)\"} 1\n"), "\(problem)")
    }
  }

  @Test func `the request of a new link has the same response in every case`() throws {
    var responses: Set<[String]> = []
    for state in ListState.allCases {
      let service = DoubleOptInService()
      if let membership = state.membership(before: service.clock.now) {
        service.members.set(membership, of: Self.email)
      }
      let token = service.members.mail(Self.email, at: service.clock.now).confirm.text
      service.clock.advance(seconds: 8 * 86_400)
      for isBrowser in [true, false] {
        let response = service.send(.post, "/confirm/\(token)/mail", isBrowser: isBrowser)
        #expect(response.status == 200)
        #expect(
          response.text.contains("If this address can be confirmed, a new link is on its way."))
        responses.insert(response.fieldsWithoutID + [response.text])
      }
      #expect(service.members.takeCalls() == ["change", "change"])
    }
    #expect(responses.count == 2)
  }

  @Test func `requests of new links count as sign-ups for the rate of a client`() throws {
    let service = DoubleOptInService { $0.signUpRate = .limited(count: 2, per: .seconds(60)) }
    let token = service.members.mail(Self.email, at: service.clock.now).confirm.text
    func post(
      _ path: String, _ body: String = "", from client: ClientAddress = .v4(0xCB00_7109)
    )
      -> TestResponse
    {
      service.service.send(
        .post(Array(body.utf8), as: "application/json", to: path, client: client))
    }
    #expect(post("/subscribers", #"{"email":"a@example.org"}"#).status == 202)
    #expect(post("/confirm/\(token)/mail").status == 200)
    for path in ["/confirm/\(token)/mail", "/confirm/\(Self.unknown)/mail"] {
      let rejection = post(path)
      #expect(rejection.status == 429)
      #expect(rejection.problem == "too-many-requests")
      #expect(rejection["Retry-After"] == "30")
    }
    #expect(post("/subscribers", #"{"email":"a@example.org"}"#).status == 429)
    #expect(service.members.takeCalls().count { $0 == "change" } == 1)
    #expect(post("/confirm/\(token)/mail", from: .v4(0xC633_6401)).status == 200)
    // What the owner decides by a link is never limited.
    #expect(post("/confirm/\(token)").status == 200)
  }

  @Test(arguments: [.get, .head, .post] as [HTTPRequest.Method])
  func `an unknown link is not found`(method: HTTPRequest.Method) {
    let mail = mail()
    let leaving = mail.unsubscribe.text
    let valid = mail.confirm.text
    let changed = [
      // Each character has one spelling, and the last one encodes four bits.
      "%\(String(valid.utf8.first ?? 0, radix: 16))\(valid.dropFirst())", "\(valid)%00",
      "\(valid)=", "\(valid).x", "\(valid)%41", "\(valid)-", "\(valid)_.", "\(valid.dropLast()).",
      "\(valid)%", "\(valid)%2E%", ".\(valid)",
      "\(valid)\u{0}", "\(valid.dropLast())", Self.unknown.dropLast() + "B",
      String(repeating: valid, count: 100),
    ]
    for token in [Self.unknown, leaving, "x", "..", Self.unknown + "A"] + changed {
      for path in ["/confirm/\(token)", "/confirm/\(token)/mail"] {
        if path.hasSuffix("/mail"), method != .post { continue }
        let page = service.send(method, path)
        #expect(page.status == 404)
        #expect(page["Referrer-Policy"] == "no-referrer")
        #expect(!page.text.contains("<script"))
        #expect(service.send(method, path, isBrowser: false).problem == "not-found")
      }
    }
  }

  @Test func `a page for any problem reveals no link`() {
    let mail = mail()
    for path in ["/confirm/\(mail.confirm.text)", "/unsubscribe/\(mail.unsubscribe.text)"] {
      for (method, path) in [(.delete, path), (.post, "\(path)/x/y")]
        as [(HTTPRequest.Method, String)]
      {
        let page = service.send(method, path)
        #expect(page.status == (method == .delete ? 405 : 404))
        #expect(page["Referrer-Policy"] == "no-referrer")
        #expect(page["Cache-Control"] == "no-store, no-transform")
        #expect(!page.text.contains("<script"))
      }
    }
  }

  @Test func `reports a storage failure`() {
    let path = "/confirm/\(mail().confirm.text)"
    service.members.failure = .locked
    for method in [.get, .head, .post] as [HTTPRequest.Method] {
      #expect(service.send(method, path).status == 503)
      #expect(service.send(method, path, isBrowser: false).problem == "storage-unavailable")
    }
    #expect(service.send(.post, "\(path)/mail").status == 503)
  }

  @Test func `a link that cannot be read counts as an error of the store`() {
    let registry = MetricRegistry([])
    let service = DoubleOptInService { $0.metrics = registry }
    let mail = service.members.mail(Self.email, at: service.clock.now)
    service.members.failure = .locked
    for path in ["/confirm/\(mail.confirm.text)", "/unsubscribe/\(mail.unsubscribe.text)"] {
      #expect(service.send(.get, path).status == 503)
    }
    let text = String(decoding: registry.text(), as: UTF8.self)
    #expect(text.contains("enlist_store_errors_total{error=\"locked\"} 2\n"))
  }

  @Test func `records the program and the language of a request, never its page`() throws {
    let path = "/confirm/\(mail().confirm.text)"
    service.send(
      .post, path,
      fields: ["User-Agent": "Tester", "Accept-Language": "de", "Referer": "https://x.example/"])
    let confirmation = try #require(service.members.consents("confirmed").first)
    #expect(confirmation.time == service.clock.now)
    #expect(confirmation.consent.userAgent == "Tester")
    #expect(confirmation.consent.locale == "de")
    #expect(confirmation.consent.sourceURL == nil)
  }
}
