import HTTPSignals
import HTTPTypes
import Logging
import SubscribeService
import TestSupport
import Testing

/// The warnings about a proxy that passes on neither who the visitor is nor which host was
/// requested.
@Suite struct ProxyWarningTests {
  private let recorder = LogRecorder()

  private func service(_ publicURL: String? = "https://list.example") -> ServiceUnderTest {
    ServiceUnderTest(publicOrigin: publicURL.flatMap { WebOrigin($0) }) { dependencies in
      dependencies.logger = recorder.logger()
    }
  }

  private func request(
    for host: String = "list.example",
    path: String = "/",
    _ fields: KeyValuePairs<String, String> = [:],
    _ source: RequestSource = RequestSource(client: .v4(0x7F00_0001), peer: .trusted)
  ) -> Request {
    var all = FieldList(["Host": host, "Accept": "text/html"])
    for (name, value) in fields { all.append(name, value) }
    return Request(method: .get, path: path, fields: all, source: source)
  }

  private var messages: [String] { recorder.lines.map { "\($0.level) \($0.message)" } }

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
    peer: ClientAddress,
    fields: KeyValuePairs<String, String>,
    effect: String
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
}
