import EmailAddresses
import Foundation
import HTTPSignals
import HTTPTypes
import Logging
import MailingList
import Signals
import TestSupport
import Testing

@testable import Services

/// The pages, and the responses to a form without JavaScript.
@Suite struct PageTests {
  private let service = ServiceUnderTest(
    allowedOrigins: AllowedOrigins("https://site.example,https://*.shop.example") ?? .none)
  private static let browser =
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"

  private func show(_ path: String, language: String? = nil) -> TestResponse {
    var fields = FieldList(["Accept": Self.browser])
    if let language { fields.append("Accept-Language", language) }
    return service.send(Request(method: .get, path: path, fields: fields))
  }

  private func submit(_ body: String, language: String? = nil) -> TestResponse {
    var fields = FieldList([
      "Accept": Self.browser, "Content-Type": "application/x-www-form-urlencoded",
    ])
    if let language { fields.append("Accept-Language", language) }
    return service.send(
      Request(method: .post, path: "/subscribers", fields: fields, body: Array(body.utf8)))
  }

  @Test func `the page works without JavaScript and loads nothing from other sites`() throws {
    let page = show("/")
    #expect(page.status == 200)
    #expect(page["Content-Type"] == "text/html; charset=utf-8")
    #expect(page.text.contains(#"<form id="sign-up" method="post" action="/subscribers""#))
    #expect(page.text.contains(#"<label for="email">"#))
    #expect(!page.text.contains("http"))
    #expect(!page.text.contains("style="))
    let policy = try #require(page["Content-Security-Policy"])
    #expect(policy.contains("default-src 'none'; script-src 'self'; style-src 'self'"))
    #expect(policy.contains("form-action 'self' https://site.example https://*.shop.example;"))
    #expect(policy.contains("frame-ancestors 'none'"))
  }

  @Test(arguments: TextCatalog.builtIn.all.map(\.language), OptIn.allCases)
  func `the page says nothing that is true only after a sign-up, even without style sheets`(
    language: String, optIn: OptIn
  ) throws {
    var profile = ListProfile(name: "News")
    profile.siteURL = "https://news.example"
    let service = ServiceUnderTest(optIn: optIn, profile: profile)
    let texts = try #require(TextCatalog.builtIn.all.first { $0.language == language })
    for body in [nil, "email=nobody", "email=ada%40%40gmial.com"] {
      let fields = FieldList([
        "Accept": Self.browser, "Accept-Language": language,
        "Content-Type": "application/x-www-form-urlencoded",
      ])
      let page = service.send(
        Request(
          method: body == nil ? .get : .post, path: body == nil ? "/" : "/subscribers",
          fields: fields, body: Array((body ?? "").utf8))
      ).text
      #expect(page.contains("<html lang=\"\(language)\">"))
      for key in [.codeTitle, .codeWrongAddress, .codeConfirmed, .thanksNext] as [PageText] {
        #expect(!page.contains(texts[key]), "\(key)")
      }
      let sent = try #require(
        texts[.codeSent].components(separatedBy: "{address}").max { $0.count < $1.count })
      #expect(!page.contains(sent))
      #expect(!page.contains(" hidden"), "a browser without style sheets shows it")
      #expect(try !page.contains(Regex("<button[^>]*></button>")))
    }
  }

  @Test func `the page and its files are smaller than 26 KB, the script smaller than 12 KB`() {
    var weight = show("/").text.utf8.count
    weight += DoubleOptInService().send(.get, "/embed.json").text.utf8.count
    for path in ["/embed.js", "/code.js", "/page.css", "/icon.svg"] {
      let count = show(path).text.utf8.count
      print("weight: \(path) \(count) bytes")
      weight += count
      if path == "/embed.js" { #expect(count < 12_000) }
    }
    #expect(show("/embed.css").text.utf8.count <= 2_048)
    print("weight: / with its files \(weight) bytes")
    #expect(weight < 26_000)
  }

  @Test(arguments: ["/page.css", "/embed.css"])
  func `a box has a height, for browsers that do not know the least height of an element`(
    path: String
  ) throws {
    let rule = try #require(
      show(path).text.firstMatch(of: /input\[type="checkbox"\] \{([^}]*)\}/))
    #expect(rule.1.contains(/\sheight: 1\.2/) && rule.1.contains(/\swidth: 1\.2/))
  }

  @Test(arguments: [
    "/", "/embed.js", "/embed.json", "/code.js", "/page.css", "/embed.css", "/icon.svg",
  ])
  func `responds with 304 to a browser that already has the file`(path: String) throws {
    let first = show(path)
    let tag = try #require(first["ETag"])
    let kind = path == "/" ? ", no-transform" : ""
    #expect(first["Cache-Control"] == "public, max-age=300\(kind)")
    let again = service.send(
      Request(method: .get, path: path, fields: FieldList(["If-None-Match": "W/\(tag), \"x\""])))
    let any = FieldList(["If-None-Match": "*"])
    #expect(service.send(Request(method: .get, path: path, fields: any)).status == 304)
    #expect(again.status == 304)
    #expect(again.text.isEmpty)
    #expect(again["ETag"] == tag)
  }

  @Test func `a form redirects to a page that shows the outcome`() throws {
    let response = submit("email=ada%40example.org")
    #expect(response.status == 303)
    #expect(response["Cache-Control"] == "no-store")
    let location = try #require(response["Location"])
    #expect(location.hasPrefix("/thanks/"))
    let thanks = show(location)
    #expect(thanks.status == 200)
    #expect(thanks.text.contains(">Thanks</span></h1>"))
    #expect(thanks.text.contains("<title>Thanks</title>"))
    #expect(
      !thanks.text.contains("data-enlist-execution"), "an ended execution has no events to follow")
    #expect(thanks["Cache-Control"] == "no-store, no-transform")
    #expect(thanks["Vary"]?.hasPrefix("Accept, Accept-Language") == true)
    #expect(thanks["X-Robots-Tag"] == "noindex")
    #expect(!thanks.text.contains("ada"))
  }

  @Test(arguments: [
    ("https://site.example/welcome?x=1", true), ("https://a.shop.example/", true),
    ("https://site.example", true), ("https://site.example:444/", false),
    ("http://site.example/", false), ("https://shop.example/", false),
    ("https://site.example.evil.example/", false), ("https://site.example@evil.example/", false),
    ("//site.example/", false), ("/welcome", false), ("javascript:alert(1)", false),
    ("https://site.example\\\\@evil.example/", false), ("https:site.example", false),
    ("https://site.example/\\evil.example/", false),
    ("https://evilshop.example/", false), ("https://site.example%0d%0aX:1/", false),
  ])
  func `a form redirects to allowed sites only`(next: String, isAllowed: Bool) {
    let encoded = next.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let response = submit("email=ada%40example.org&next=\(encoded)")
    #expect(response.status == 303)
    #expect((response["Location"] == next) == isAllowed)
    if !isAllowed { #expect(response["Location"]?.hasPrefix("/thanks/") == true) }
  }

  @Test(arguments: [
    ("en", "Error: Subscribe"), ("de", "Fehler: "), ("fr", "Erreur : "), ("es", "Error: "),
    ("zh-Hans", "错误："),
  ])
  func `the title of a rejected form says so, and its field has the focus`(
    language: String, title: String
  ) {
    #expect(!show("/", language: language).text.contains("<title>\(title)"))
    let response = submit("email=nobody", language: language)
    #expect(response.text.contains("<title>\(title)"))
    #expect(response.text.contains(#"value="nobody" aria-invalid="true" autofocus>"#))
  }

  @Test(arguments: [HTTPRequest.Method.get, .head])
  func `the address of a sent form leads a browser back to the form`(
    method: HTTPRequest.Method
  ) throws {
    let id = try #require(submit("email=ada%40example.org")["Location"]?.dropFirst(8))
    let token = String(repeating: "a", count: 43)
    for (path, page) in [
      ("/subscribers", "/"), ("/executions/\(id)/code", "/thanks/\(id)"),
      ("/confirm/\(token)/mail", "/confirm/\(token)"),
    ] {
      let response = service.send(
        Request(method: method, path: path, fields: FieldList(["Accept": Self.browser])))
      #expect(response.status == 303)
      #expect(response["Location"] == page)
      #expect(response["Vary"]?.contains("Accept") == true)
      let isSecret = path.hasPrefix("/confirm")
      #expect(response["Referrer-Policy"] == (isSecret ? "no-referrer" : "same-origin"))
      let program = service.send(Request(method: method, path: path))
      #expect(program.status == 405)
      #expect(program["Allow"]?.contains("POST") == true)
    }
    let other = service.send(
      Request(method: method, path: "/email-checks", fields: FieldList(["Accept": Self.browser])))
    #expect(other.status == 405)
  }

  @Test func `a form that is not in UTF-8 gets the name of the field, its owner one warning`()
    throws
  {
    let recorder = LogRecorder()
    let service = ServiceUnderTest(logger: recorder.logger())
    func submit(_ body: String, accept: String) -> TestResponse {
      let fields = FieldList([
        "Accept": accept, "Content-Type": "application/x-www-form-urlencoded",
      ])
      return service.send(
        Request(method: .post, path: "/subscribers", fields: fields, body: Array(body.utf8)))
    }
    for (body, sentence) in [
      ("name=J%F6rg", "The field name is not valid UTF-8."),
      ("consent=%84Ja%93", "The field consent is not valid UTF-8."),
      ("gr%F6%DFe=9", "A field name is not valid UTF-8."),
    ] {
      let body = "email=ada%40example.org&\(body)"
      #expect(submit(body, accept: "application/json").text.contains(sentence))
      let page = submit(body, accept: Self.browser)
      #expect(page.status == 400)
      #expect(page.text.contains(sentence))
      #expect(page.text.contains("accept-charset"))
    }
    #expect(recorder.lines.map(\.level) == [.warning])
    #expect("\(try #require(recorder.lines.first).message)".contains("accept-charset"))
  }

  @Test func `the page for a rejected form shows the typed text, escaped`() {
    let response = submit(
      "email=%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E&next=https://site.example/%22%3E")
    #expect(response.status == 422)
    #expect(response["Content-Type"] == "text/html; charset=utf-8")
    #expect(response.text.contains("&quot;&gt;&lt;script&gt;alert(1)"))
    #expect(!response.text.contains("<script>"))
    #expect(response.text.contains("Enter only the address, without a name or brackets."))
    #expect(response.text.contains(#"name="next" value="https://site.example/&quot;&gt;""#))
  }

  @Test func `the page for a rejected form omits text that is much longer than an address`() {
    let response = submit("email=" + String(repeating: "%26", count: 4000))
    #expect(response.status == 422)
    #expect(response.text.utf8.count < 4000)
    #expect(response.text.contains(#"value="""#))
  }

  @Test func `a rejected form keeps the consent text and the locale`() {
    let response = submit("email=nobody&consent=%3CThe+news%3E&locale=de-AT")
    #expect(response.text.contains(#"name="consent" value="&lt;The news&gt;""#))
    #expect(response.text.contains(#"name="locale" value="de-AT""#))
    #expect(!submit("email=nobody").text.contains(#"type="hidden""#))
  }

  @Test func `a form over the rate keeps the typed text, and its field is not marked as invalid`() {
    let service = ServiceUnderTest { $0.signUpRate = .limited(count: 1, per: .seconds(60)) }
    let fields = FieldList([
      "Accept": Self.browser, "Content-Type": "application/x-www-form-urlencoded",
      "Accept-Language": "de",
    ])
    let request = Request(
      method: .post, path: "/subscribers", fields: fields,
      body: Array("email=ada%40example.org".utf8), client: .v4(0xCB00_7109))
    #expect(service.send(request).status == 303)
    let rejection = service.send(request)
    #expect(rejection.status == 429)
    #expect(rejection["Retry-After"] == "60")
    #expect(rejection.text.contains(#"value="ada@example.org""#))
    #expect(rejection.text.contains("Zu viele Anmeldungen"))
    #expect(!rejection.text.contains("aria-invalid"))
  }

  @Test(arguments: ["already-executing", "too-many-requests", "origin-not-allowed"])
  func `the detail of a JSON problem is in the client's language`(name: String) throws {
    let service = ServiceUnderTest { $0.signUpRate = .limited(count: 1, per: .seconds(60)) }
    let release = ReplaySubject<Void, Never>(capacity: 1)
    service.store.hold(until: release)
    defer { release.complete() }
    var fields = FieldList([
      "Content-Type": "application/json", "Accept-Language": "de",
    ])
    if name == "origin-not-allowed" { fields.append("Origin", "https://evil.example") }
    let client: ClientAddress = name == "too-many-requests" ? .v4(0xCB00_7109) : .local
    let request = Request(
      method: .post, path: "/subscribers", fields: fields,
      body: Array(#"{"email":"ada@example.org"}"#.utf8), client: client)
    _ = service.send(request)
    let rejection = service.send(request)
    #expect(rejection.problem == name)
    let german = try #require(TextCatalog.builtIn.all.first { $0.language == "de" })
    let text =
      name == "too-many-requests"
      ? ProblemText(LimitedRequest.signUp)
      : ProblemText(of: try #require(ServiceProblem(rawValue: name)))
    #expect(german.has(text.key))
    #expect(rejection.text.contains("\"detail\":\"\(german[text])\""))
    #expect(rejection.text.contains("\"instance\":\"/subscribers\""))
  }

  @Test func `a suggestion takes one click, even without JavaScript`() {
    let response = submit("email=ada%40%40gmial.com")
    #expect(response.text.contains(#"name="email" value="ada@gmail.com""#))
    #expect(response.text.contains("Did you mean ada@gmail.com?"))
    // A proxy that rewrites addresses would change what the button sends.
    #expect(response["Cache-Control"] == "no-store, no-transform")
  }

  @Test(arguments: [
    ("de-AT,en;q=0.5", "Eine Adresse braucht ein @-Zeichen.", "de"),
    ("fr", "Une adresse doit contenir le signe @.", "fr"),
    ("es-MX", "Una dirección necesita el signo @.", "es"),
    ("zh-CN", "地址需要一个 @ 符号。", "zh-Hans"), ("zh-Hans-SG", "地址需要一个 @ 符号。", "zh-Hans"),
    ("tlh, *", "An address needs an @ sign.", "en"),
    ("de;q=0, en", "An address needs an @ sign.", "en"),
    ("", "An address needs an @ sign.", "en"),
  ])
  func `visitors get texts in their preferred language`(
    accepted: String, message: String, language: String
  ) {
    let page = submit("email=nobody", language: accepted)
    #expect(page.text.contains(message))
    #expect(page.text.contains("<html lang=\"\(language)\">"))
    var fields = FieldList(["Content-Type": "application/json"])
    fields.append("Accept-Language", accepted)
    for path in ["/email-checks", "/subscribers"] {
      let response = service.send(
        Request(method: .post, path: path, fields: fields, body: Array(#"{"email":"nobody"}"#.utf8))
      )
      #expect(response.text.contains(message), "\(path)")
    }
  }

  @Test func `every problem type of the program has a help page`() {
    #expect(
      Set(Texts.problemNames)
        .isSuperset(of: ["invalid-email", "not-found", "too-large", "storage-unavailable"])
    )
    for name in Texts.problemNames {
      let page = show("/problems/\(name)")
      #expect(page.status == 200, "\(name)")
      #expect(page.text.contains("<h1>\(name)</h1>"))
      #expect(page["Cache-Control"] == "public, max-age=300, no-transform")
    }
  }

  @Test func `a text without a translation is in English and marked as such`() {
    let page = show("/problems/expectation-failed", language: "de")
    #expect(page.text.contains("<html lang=\"de\">"))
    #expect(page.text.contains("<p lang=\"en\">The only expectation"))
    #expect(show("/problems/storage-unavailable", language: "de").text.contains("<p>Es wurde"))
  }

  @Test func `a client that prefers HTML gets a problem as a page with the same status`() {
    let missing = show("/nowhere")
    #expect(missing.status == 404)
    #expect(missing["Content-Type"] == "text/html; charset=utf-8")
    #expect(missing.text.contains("There is nothing at this address."))
    #expect(show("/problems/nonsense").status == 404)
    #expect(show("/thanks/nonsense").status == 404)
    #expect(service.get("/nowhere").problem == "not-found")
  }
}
