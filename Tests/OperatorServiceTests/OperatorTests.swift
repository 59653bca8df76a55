import TestSupport
import HTTPSignals
import HTTPTypes
import Logging
import Testing

@testable import Services

@Suite struct OperatorTests {
  private let service = OperatorUnderTest(access: .open)

  @Test func `health checks, the description and problems need no key`() throws {
    #expect(service.send(.get, "/livez")?.status == .ok)
    #expect(service.send(.get, "/readyz")?.status == .ok)
    let description = try #require(service.send(.get, "/openapi.json"))
    #expect(description.status == .ok)
    #expect(description.fields[.contentType] == "application/json")
    #expect(description.fields[.cacheControl] == "public, max-age=3600")
    let problem = try #require(service.send(.get, "/problems/unauthorized"))
    #expect(problem.status == .ok)
    #expect(problem.text.hasPrefix("The request needs a valid key in the header field "))
    #expect(problem.text.hasSuffix(".\n"))
    #expect(service.send(.get, "/problems/unknown")?.status == .notFound)
  }

  @Test func `no page of another origin can use the listener`() throws {
    for path in ["/metrics", "/livez", "/openapi.json", "/problems/unauthorized", "/none"] {
      for method in [.get, .head, .options, .post] as [HTTPRequest.Method] {
        let fields: KeyValuePairs = ["Origin": "https://example.org"]
        let response = try #require(service.send(method, path, fields: fields))
        #expect(response.fields[.crossOriginResourcePolicy] == "same-origin", "\(method) \(path)")
        #expect(response.fields[.accessControlAllowOrigin] == nil)
        guard path != "/none" else { continue }
        if method == .options || method == .post {
          #expect(response.status == .methodNotAllowed)
          #expect(response.fields[.allow] == "GET, HEAD")
        } else {
          #expect(response.status == .ok)
        }
      }
    }
  }

  @Test func `a preflight for a key is logged with the origin of the page, once a minute`() {
    for _ in 0..<3 {
      _ = service.send(
        .options,
        "/metrics",
        fields: [
          "Origin": "https://example.org", "Access-Control-Request-Method": "GET",
          "Access-Control-Request-Headers": "authorization,content-type",
        ]
      )
    }
    _ = service.send(
      .options, "/metrics",
      fields: ["Origin": "https://example.com", "Access-Control-Request-Headers": "content-type"])
    #expect(service.log.lines.map(\.level) == [.warning])
    #expect(service.log.lines.map(\.metadata) == ["origin=https://example.org"])
  }

  @Test func `an origin that is not one is not logged`() {
    _ = service.send(
      .options, "/metrics",
      fields: ["Origin": "ana@example.org", "Access-Control-Request-Headers": "Authorization"])
    #expect(service.log.lines.map(\.metadata) == ["origin=unknown"])
  }

  @Test func `a request that is rejected before it is routed cannot be embedded either`() {
    let response = OperatorResponsePolicy().response(for: .targetTooLong, to: nil)
    #expect(response.fields[.crossOriginResourcePolicy] == "same-origin")
  }
}
