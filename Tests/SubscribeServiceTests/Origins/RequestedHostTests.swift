import HTTPSignals
import HTTPTypes
import Logging
import Services
import TestSupport
import Testing

/// The checks before a request is routed: its host, and the proxy that forwarded it.
@Suite struct RequestedHostTests {
  private func send(
    _ fields: KeyValuePairs<String, String>, method: HTTPRequest.Method = .get, path: String = "/",
    forwardedHost: String? = nil, publicURL: String? = "https://list.example"
  ) -> TestResponse {
    let service = ServiceUnderTest(publicOrigin: publicURL.flatMap { WebOrigin($0) })
    return service.send(
      Request(
        method: method, path: path, fields: FieldList(fields),
        source: RequestSource(client: .local, peer: .trusted, forwardedHost: forwardedHost)))
  }

  @Test(
    arguments: [
      ("https://list.example", "list.example", 200), ("https://list.example", "LIST.example", 200),
      ("https://list.example", "list.example:443", 200),
      ("https://list.example", "list.example.", 200),
      ("https://list.example", "LIST.example.:443", 200),
      ("https://list.example.", "list.example", 200),
      ("https://list.example", "list.example..", 421), ("https://list.example", ".", 421),
      ("https://list.example", "list.example:80", 421),
      ("https://list.example", "list.example:8443", 421),
      ("https://list.example", "evil.example", 421), ("https://list.example", "127.0.0.1", 421),
      ("https://list.example", "localhost", 421), ("https://list.example", "", 421),
      ("https://list.example", "a.list.example", 421),
      ("https://list.example", "list.example.evil.example", 421),
      ("https://list.example", "list.example@evil.example", 421),
      ("https://list.example", "list.example, evil.example", 421),
      ("http://list.example:8080", "list.example:8080", 200),
      ("http://list.example:8080", "list.example", 421),
      ("http://list.example", "list.example:80", 200), ("http://[::1]:8080", "[::1]:8080", 200),
    ]
  )
  func `a service with a public URL serves only its host`(url: String, host: String, status: Int) {
    let response = send(["Host": host], publicURL: url)
    #expect(response.status == status)
    if status == 421 { #expect(response.problem == "misdirected-request") }
  }

  @Test func `a service without a public URL serves every host`() {
    for host in ["evil.example", "127.0.0.1:8080", ""] {
      #expect(send(["Host": host], publicURL: nil).status == 200)
    }
  }

  @Test func `a request without a host is misdirected if there is a public URL`() {
    #expect(send([:]).status == 421)
  }

  @Test(
    arguments: [
      (.get, "/status"), (.get, "/nowhere"), (.post, "/subscribers"), (.options, "/subscribers"),
      (.post, "/email-checks"), (.get, "/embed.js"),
    ] as [(HTTPRequest.Method, String)]
  )
  func `checks the host of a request on every route, even for a preflight`(
    method: HTTPRequest.Method, path: String
  ) {
    let fields: KeyValuePairs = ["Host": "evil.example", "Origin": "http://evil.example"]
    #expect(send(fields, method: method, path: path).status == 421)
  }

  @Test(arguments: ["/livez", "/readyz"])
  func `serves health checks for any host`(path: String) {
    #expect(send(["Host": "127.0.0.1:8080"], path: path).status == 200)
  }

  @Test func `uses the host that a trusted proxy forwards, not the proxy's own Host`() {
    #expect(send(["Host": "backend:8080"], forwardedHost: "list.example").status == 200)
    #expect(send(["Host": "list.example"], forwardedHost: "evil.example").status == 421)
    #expect(send(["Host": "list.example"], forwardedHost: "").status == 421)
  }

  @Test func `rejects a POST from a page whose name resolves to the service`() {
    let fields: KeyValuePairs = [
      "Host": "evil.example:8080", "Origin": "http://evil.example:8080",
      "Content-Type": "application/json",
    ]
    let response = send(fields, method: .post, path: "/subscribers", forwardedHost: "list.example")
    #expect(response.status == 403)
    #expect(response.problem == "origin-not-allowed")
  }

  @Test func `a misdirected visitor gets a page in the preferred language`() {
    let fields: KeyValuePairs = ["Host": "a", "Accept": "text/html", "Accept-Language": "fr"]
    let page = send(fields)
    #expect(page.status == 421)
    #expect(page.text.contains("<html lang=\"fr\">"))
    #expect(page.text.contains("La liste se trouve à une autre adresse."))
  }

  @Test func `logs once that a trusted proxy does not say legibly who the client is`() throws {
    let recorder = LogRecorder()
    let service = ServiceUnderTest(logger: recorder.logger())
    let proxies = TrustedProxies([try #require(ClientNetwork("10.0.0.0/8"))])
    func send(_ fields: KeyValuePairs<String, String>) {
      let fields = FieldList(fields)
      let source = proxies.source(of: .v4(0x0A01_0203), fields)
      _ = service.send(Request(method: .get, path: "/livez", fields: fields, source: source))
    }
    send(["X-Forwarded-For": "203.0.113.9"])
    send(["X-Forwarded-For": "203.0.113.9", "Forwarded": "proto=https"])
    send([:])
    #expect(recorder.lines.isEmpty)
    send(["X-Forwarded-For": "203.0.113.9, garbage"])
    send(["Forwarded": "for=_hidden"])
    send(["Forwarded": "for=203.0.113.9", "X-Forwarded-For": "203.0.113.8"])
    #expect(recorder.lines.count == 1)
    let line = try #require(recorder.lines.first)
    #expect(line.level == .warning)
    let text = "\(line.message) \(line.metadata)"
    #expect(text.contains("Forwarded or X-Forwarded-For of a trusted proxy names no address"))
    #expect(!text.contains("203.0.113"))
  }

  @Test func `logs an untrusted proxy once, with the setting and without its address`() throws {
    let recorder = LogRecorder()
    let service = ServiceUnderTest(logger: recorder.logger())
    func send(_ peer: RequestSource.Peer) {
      let source = RequestSource(client: .v4(0x0A01_0203), peer: peer)
      _ = service.send(Request(method: .get, path: "/livez", source: source))
    }
    send(.client)
    send(.trusted)
    #expect(recorder.lines.isEmpty)
    for _ in 0..<3 { send(.untrustedProxy) }
    #expect(recorder.lines.count == 1)
    let line = try #require(recorder.lines.first)
    #expect(line.level == .warning)
    let text = "\(line.message) \(line.metadata)"
    #expect(text.contains("--trusted-proxies"))
    #expect(!text.contains("10.1.2.3"))
  }
}
