import HTTPSignals
import HTTPTypes
import Logging
import Services
import TestSupport
import Testing

/// The warnings about a proxy that passes on neither who the visitor is nor which host was
/// requested.
@Suite struct ProxyWarningTests {
  private let recorder = LogRecorder()

  private func service(_ publicURL: String? = "https://list.example") -> ServiceUnderTest {
    ServiceUnderTest(publicOrigin: publicURL.flatMap { WebOrigin($0) }, logger: recorder.logger())
  }

  private func request(
    for host: String = "list.example", path: String = "/",
    _ fields: KeyValuePairs<String, String> = [:],
    _ source: RequestSource = RequestSource(client: .v4(0x7F00_0001), peer: .trusted)
  ) -> Request {
    var all = FieldList(["Host": host, "Accept": "text/html"])
    for (name, value) in fields { all.append(name, value) }
    return Request(method: .get, path: path, fields: all, source: source)
  }

  private var messages: [String] { recorder.lines.map { "\($0.level) \($0.message)" } }

  // MARK: Clients

  @Test(
    arguments: [
      (.local, [:], "are not limited"), (.v4(0x7F00_0001), [:], "are not limited"),
      (.v4(0x7F00_0001), ["X-Forwarded-For": ""], "are not limited"),
      (.v4(0x7F00_0001), ["X-Real-IP": "203.0.113.9"], "are not limited"),
      // Only this machine is exempt from limits.
      (.v4(0x0A00_0007), [:], "share one limit"),
    ] as [(ClientAddress, KeyValuePairs<String, String>, String)]
  )
  func `a trusted proxy that names no client is reported once`(
    peer: ClientAddress, fields: KeyValuePairs<String, String>, effect: String
  ) {
    let service = service()
    let source = RequestSource(client: peer, peer: .trusted)
    for path in ["/", "/status", "/"] { service.send(request(path: path, fields, source)) }
    #expect(
      messages == [
        """
        warning requests for list.example come from a trusted proxy without X-Forwarded-For or \
        Forwarded: clients \(effect)
        """
      ]
    )
    #expect(recorder.lines.map(\.metadata) == [""])
  }

  @Test(
    arguments: [
      nil, "http://localhost:8080", "http://127.0.0.1:8080", "http://[::1]:8080",
      "http://list.localhost",
    ]
  )
  func `requests to a service that only its machine reaches need no proxy`(url: String?) {
    let host = url.flatMap { WebOrigin($0) }?.authority ?? "localhost"
    #expect(service(url).send(request(for: host)).status == 200)
    #expect(service(url).send(request(for: "127.0.0.1:9")).status == (url == nil ? 200 : 421))
    #expect(messages == [])
  }

  @Test func `health checks and clients that are named raise no warning`() {
    let service = service()
    for path in ["/livez", "/readyz"] {
      service.send(request(path: path))
      service.send(request(for: "127.0.0.1:8080", path: path))
    }
    service.send(request(["X-Forwarded-For": "203.0.113.9"]))
    service.send(request(["Forwarded": "for=203.0.113.9"]))
    service.send(request([:], RequestSource(client: .v4(0xCB00_7109))))
    service.send(request([:], RequestSource(client: .v4(0x0A01_0203))))
    #expect(messages == [])
  }

  // MARK: Hosts

  @Test(
    arguments: [
      "127.0.0.1:8080", "[::1]:8080", "ENLIST", "10.1.2.3:8080", "localhost",
      "enlist.default.svc.cluster.local:8080",
      // The proxy changes the port.
      "list.example:8443",
    ],
    [.trusted, .client, .untrustedProxy] as [RequestSource.Peer]
  )
  func `a proxy that does not pass Host is reported once, and its page has no link`(
    host: String, peer: RequestSource.Peer
  ) {
    let service = service()
    let source = RequestSource(client: .v4(0x0A00_0007), peer: peer)
    for _ in 0..<2 {
      let page = service.send(request(for: host, [:], source))
      #expect(page.status == 421)
      #expect(page.text.contains("The list is at another address."))
      #expect(!page.text.contains("<a "))
      service.send(request(for: "other\(host)", [:], source))
    }
    #expect(
      messages.filter { $0.contains("421") } == [
        """
        warning a request for \(host.lowercased()) gets 421, --public-url is list.example: let the \
        proxy pass Host
        """
      ]
    )
  }

  @Test func `a proxy that loses the port of a forwarded host is reported`() {
    let source = RequestSource(
      client: .v4(0xCB00_7109), peer: .trusted, forwardedHost: "list.example")
    let page = service("https://list.example:8443").send(request(for: "enlist", [:], source))
    #expect(!page.text.contains("<a "))
    #expect(
      messages == [
        """
        warning a request for list.example gets 421, --public-url is list.example:8443: let the \
        proxy pass Host
        """
      ]
    )
  }

  @Test(
    arguments: [
      "evil.example", "203.0.113.9", "203.0.113.9:8080", "", "a\u{1B}[31m", "a b", "[",
      String(repeating: "a", count: 300), "list.example.evil.example", "list.example@localhost",
    ]
  )
  func `hosts that strangers make up raise no warning`(host: String) {
    #expect(service().send(request(for: host)).status == 421)
    #expect(messages == [])
  }

  @Test func `a stranger is not taken for a proxy, and gets the link to the list`() {
    let link = "<a href=\"https://list.example/\">"
    let service = service()
    // Connected directly, or through a proxy that names the requested host.
    for source in [
      RequestSource(client: .v4(0xCB00_7109)),
      RequestSource(client: .v4(0xCB00_7109), peer: .trusted, forwardedHost: "localhost"),
      RequestSource(client: .v4(0xCB00_7109), peer: .trusted, forwardedHost: "www.list.example"),
      RequestSource(client: .v4(0xCB00_7109), peer: .trusted, forwardedHost: ""),
    ] {
      #expect(service.send(request(for: "127.0.0.1:8080", [:], source)).text.contains(link))
    }
    #expect(messages == [])
  }
}
