import HTTPSignals
import HTTPTypes
import Logging
import MailingList
import Services
import TestSupport
import Testing

/// Requests from pages of the service's own site, of allowed sites, and of other sites (CORS).
@Suite struct OriginTests {
  private let service = ServiceUnderTest(
    allowedOrigins: AllowedOrigins("https://site.example,https://*.shop.example:8443") ?? .none,
    publicOrigin: WebOrigin("https://list.example"))

  private func send(
    _ method: HTTPRequest.Method, _ path: String, _ fields: KeyValuePairs<String, String>
  ) -> TestResponse {
    var fields = FieldList(fields)
    fields.append("Content-Type", "application/json")
    if fields.count(of: .hostField) == 0 { fields.append("Host", "list.example") }
    let body = method == .post ? Array(#"{"email":"ada@example.org"}"#.utf8) : []
    return service.send(Request(method: method, path: path, fields: fields, body: body))
  }

  @Test(
    arguments: [
      (["Origin": "https://site.example"], 202), (["Origin": "https://a.shop.example:8443"], 202),
      (["Origin": "https://list.example"], 202), ([:], 202),
      (["Origin": "http://list.example", "Host": "LIST.example:443"], 403),
      (["Origin": "null", "Sec-Fetch-Site": "same-origin"], 202),
      (["Origin": "null"], 403), (["Origin": "https://evil.example"], 403),
      (["Origin": "https://shop.example:8443"], 403), (["Origin": "https://a.shop.example"], 403),
      (["Origin": "http://a.shop.example:8443"], 403),
      (["Origin": "http://site.example"], 403), (["Origin": "https://site.example.evil"], 403),
      (["Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"], 403),
      (["Origin": "https://evil.list.example", "Sec-Fetch-Site": "same-site"], 403),
      (["Origin": "null", "Sec-Fetch-Site": "none"], 403),
    ] as [(KeyValuePairs<String, String>, Int)]
  )
  func `accepts a POST only from the service's own pages, allowed sites and programs`(
    fields: KeyValuePairs<String, String>, status: Int
  ) {
    let response = send(.post, "/subscribers", fields)
    #expect(response.status == status)
    #expect(send(.post, "/email-checks", fields).status == (status == 202 ? 200 : 403))
    if status == 403 {
      #expect(response.problem == "origin-not-allowed")
      #expect(response.text.contains("--allowed-origins"))
    }
  }

  @Test func `logs each origin that is not allowed once, up to 32, with the setting`() throws {
    let recorder = LogRecorder()
    let service = ServiceUnderTest(
      allowedOrigins: AllowedOrigins("https://site.example") ?? .none, logger: recorder.logger())
    func post(_ origin: String) {
      service.send(.post(Array("email=a".utf8), as: nil, fields: ["Origin": origin]))
    }
    func preflight(_ origin: String) {
      let fields = FieldList(["Origin": origin])
      service.send(Request(method: .options, path: "/subscribers", fields: fields))
    }
    for origin in ["https://site.example", "a\u{1B}b", "https://a@b.example"] {
      post(origin)
      preflight(origin)
    }
    #expect(recorder.lines.isEmpty)
    for _ in 0..<3 {
      post("HTTPS://Blog.example:443")
      preflight("https://blog.example")
    }
    #expect(recorder.lines.map(\.level) == [.warning])
    let line = try #require(recorder.lines.first)
    #expect("\(line.message)".hasPrefix("pages of https://blog.example are not allowed;"))
    #expect("\(line.message)".contains("--allowed-origins"))
    for number in 0..<100 { post("https://\(number).example") }
    #expect(recorder.lines.count == 32)
  }

  @Test(
    arguments: [
      (["Origin": "http://host.example:8080", "Host": "host.example:8080"], 202),
      (["Origin": "https://host.example", "Host": "HOST.example:443"], 202),
      (["Origin": "http://host.example", "Host": "host.example"], 202),
      (["Origin": "https://evil.example", "Host": "host.example"], 403),
      (["Origin": "https://host.example", "Host": "host.example:8443"], 403),
      (["Origin": "", "Host": ""], 403),
    ] as [(KeyValuePairs<String, String>, Int)]
  )
  func `without a public URL, a page of the requested host counts as the service's own`(
    fields: KeyValuePairs<String, String>, status: Int
  ) {
    let service = ServiceUnderTest()
    let body = Array(#"{"email":"ada@example.org"}"#.utf8)
    let request = Request.post(body, as: "application/json", fields: fields)
    #expect(service.send(request).status == status)
  }

  @Test(arguments: [
    ("/subscribers", HTTPRequest.Method.post), ("/email-checks", .post), ("/status", .get),
    ("/executions/unknown", .get), ("/executions/unknown/events", .get), ("/subscribers", .get),
  ])
  func `allowed sites can read every response, other sites none`(
    path: String, method: HTTPRequest.Method
  ) {
    let allowed = send(method, path, ["Origin": "https://site.example"])
    #expect(allowed["Access-Control-Allow-Origin"] == "https://site.example")
    #expect(allowed["Access-Control-Expose-Headers"] == "location, link, retry-after")
    #expect(allowed["Vary"]?.hasSuffix("Origin") == true)
    #expect(allowed["Access-Control-Allow-Credentials"] == nil)
    let other = send(method, path, ["Origin": "https://evil.example"])
    #expect(other["Access-Control-Allow-Origin"] == nil)
    #expect(other["Vary"]?.hasSuffix("Origin") == true)
    #expect(send(method, path, [:])["Access-Control-Allow-Origin"] == nil)
  }

  @Test(arguments: [
    "/subscribers", "/email-checks", "/status", "/executions/x", "/executions/x/events",
  ])
  func `the response to a preflight lists the allowed methods and header fields`(path: String) {
    let allowed = send(.options, path, ["Origin": "https://a.shop.example:8443"])
    #expect(allowed.status == 204)
    #expect(allowed["Access-Control-Allow-Origin"] == "https://a.shop.example:8443")
    #expect(allowed["Access-Control-Allow-Methods"] == "GET, HEAD, POST")
    #expect(
      allowed["Access-Control-Allow-Headers"]
        == "content-type, prefer, last-event-id, idempotency-key, *"
    )
    #expect(allowed["Access-Control-Max-Age"] == "7200")
    let other = send(.options, path, ["Origin": "https://evil.example"])
    #expect(other.status == 403)
    #expect(other.problem == "origin-not-allowed")
  }

  @Test func `a page that hides its origin is reported once, with what may be the reason`() throws {
    let recorder = LogRecorder()
    let service = ServiceUnderTest(
      allowedOrigins: AllowedOrigins("https://site.example") ?? .none, logger: recorder.logger())
    for _ in 0..<3 {
      service.send(.post(Array("email=a".utf8), as: nil, fields: ["Origin": "null"]))
    }
    #expect(recorder.lines.map(\.level) == [.warning])
    let message = "\(try #require(recorder.lines.first).message)"
    #expect(message.contains("Referrer-Policy") && message.contains("Embedding"))
  }

  @Test(arguments: ["/embed.js", "/embed.json", "/embed.css", "/code.js"])
  func `every site can load what a form consists of, also where it isolates its pages`(
    path: String
  ) {
    for origin in ["https://site.example", "https://evil.example", "null"] {
      for method in [HTTPRequest.Method.get, .head] {
        let response = send(method, path, ["Origin": origin])
        #expect(response.status == 200)
        #expect(response["Access-Control-Allow-Origin"] == "*")
        #expect(response["Cross-Origin-Resource-Policy"] == "cross-origin")
      }
      let preflight = send(.options, path, ["Origin": origin])
      #expect(preflight.status == 204)
      #expect(preflight["Access-Control-Allow-Origin"] == "*")
      #expect(preflight["Access-Control-Allow-Headers"]?.hasSuffix(", *") == true)
    }
    #expect(send(.options, path, [:])["Allow"] == "GET, HEAD, OPTIONS")
  }

  @Test func `an OPTIONS request without an origin gets the methods of the path`() {
    let response = send(.options, "/subscribers", [:])
    #expect(response.status == 204)
    #expect(response["Allow"] == "POST, OPTIONS")
    #expect(response["Access-Control-Allow-Methods"] == nil)
    #expect(send(.options, "/status", [:])["Allow"] == "GET, HEAD, OPTIONS")
  }

  @Test func `allowed sites can read rejections by the transport`() throws {
    let responsePolicy = ServiceResponsePolicy(
      allowedOrigins: AllowedOrigins("https://site.example") ?? .none, publicOrigin: nil)
    func reject(_ path: String, _ fields: KeyValuePairs<String, String>) throws -> Response {
      let response = TestResponse()
      let request = Request(method: .post, path: path, fields: FieldList(fields))
      response.exchange(for: request, policy: responsePolicy)
        .respond(.tooLarge(maximumBodyBytes: 16))
      return try #require(response.response)
    }
    let allowed = try reject("/subscribers", ["Origin": "https://site.example"])
    #expect(allowed.status == 413)
    #expect(allowed.fields[.accessControlAllowOrigin] == "https://site.example")
    #expect(allowed.fields[.vary] == "Origin")
    let other = try reject("/subscribers", ["Origin": "https://evil.example"])
    #expect(other.fields[.accessControlAllowOrigin] == nil)
    let page = try reject("/subscribers", ["Accept": "text/html"])
    #expect(page.status == 413)
    #expect(page.fields[.contentType] == "text/html; charset=utf-8")
    #expect(page.fields[.contentSecurityPolicy] != nil)
  }

  @Test(arguments: ["/", "/livez", "/commands/subscribe"])
  func `no site can read the responses of unshared paths`(path: String) {
    let response = send(.get, path, ["Origin": "https://site.example"])
    #expect(response["Access-Control-Allow-Origin"] == nil)
  }
}
