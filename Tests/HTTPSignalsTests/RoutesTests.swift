import HTTPSignals
import HTTPTypes
import TestSupport
import Testing

/// Finding the route of an exchange.
@Suite struct RoutesTests {
  private let routes: Routes
  private let rows: [Route<Void, @Sendable (RoutedExchange) -> Void>]
  private let responses = RecordedResponses()

  init() {
    let patterns: [(HTTPRequest.Method, String)] = [
      (.get, "/status"), (.post, "/subscribers"), (.get, "/a/b"), (.put, "/a/b"),
      (.get, "/things/{id}"), (.delete, "/things/{id}"), (.get, "/things/{id}/events"),
    ]
    rows = patterns.map { method, pattern in
      Route(method, pattern, for: ()) { routed in
        let response = "\(method.rawValue) \(pattern)"
        routed.exchange.respond(Response(status: .ok, body: .bytes(Array(response.utf8))))
      }
    }
    routes = Routes(rows)
  }

  private func response(_ method: HTTPRequest.Method, _ path: String) throws -> Response {
    let exchange = responses.exchange(Request(method: method, path: path))
    if let (index, routed) = routes.find(exchange) { rows[index].handler(routed) }
    return try #require(responses.all.last)
  }

  @Test(
    arguments: [
      (.get, "/status", "GET /status"),
      (.post, "/subscribers", "POST /subscribers"),
      (.put, "/a/b", "PUT /a/b"),
      (.get, "/things/1", "GET /things/{id}"),
      (.delete, "/things/1", "DELETE /things/{id}"),
      (.get, "/things/a%2Fb", "GET /things/{id}"),
      (.get, "/things/1/events", "GET /things/{id}/events"),
      (.get, "/things/events/events", "GET /things/{id}/events"),
      (.head, "/status", "GET /status"),
      (.head, "/things/1", "GET /things/{id}"),
    ] as [(HTTPRequest.Method, String, String)]
  )
  func `dispatches a request to the route for its method and path`(
    method: HTTPRequest.Method, path: String, route: String
  ) throws {
    #expect(try response(method, path).text == route)
  }

  @Test(
    arguments: [
      "/", "", "*", "status", "/status/", "//status", "/Status", "/status%00x", "/status%00",
      "/statu%73", "/status\u{0}", "/status?x", "http://example.org/status", "/a", "/a/", "/a/b/c",
      "/a/./b", "/a/b/../b", "/things", "/things/", "/things//events", "/things/1/", "/things/1/2",
      "/things/1/events/", "/{id}", "/things/1" + String(repeating: "/", count: 4000),
      String(repeating: "/", count: 4000), "/things/1\u{301}/x",
    ]
  )
  func `responds with 404 to a path that differs from all routes in any byte`(path: String) throws {
    let response = try response(.get, path)
    #expect(response.status == .notFound)
    #expect(response.fields[.contentType] == "application/problem+json")
    #expect(response.text.contains(#""type":"/problems/not-found""#))
  }

  @Test(
    arguments: [
      (.post, "/status", "GET, HEAD"),
      (.get, "/subscribers", "POST"),
      (.head, "/subscribers", "POST"),
      (.delete, "/a/b", "GET, PUT, HEAD"),
      (.put, "/things/1", "GET, DELETE, HEAD"),
      (.options, "/things/1/events", "GET, HEAD"),
    ] as [(HTTPRequest.Method, String, String)]
  )
  func `responds with 405 and the methods that the path allows`(
    method: HTTPRequest.Method, path: String, allowed: String
  ) throws {
    let response = try response(method, path)
    #expect(response.status == .methodNotAllowed)
    #expect(response.fields[.allow] == allowed)
    #expect(response.text.contains(#""type":"/problems/method-not-allowed""#))
  }

  @Test(
    arguments: [
      ("/executions/{id}", "/executions/4jd9", ["id": "4jd9"]),
      ("/executions/{id}/events", "/executions/4jd9/events", ["id": "4jd9"]),
      ("/{list}/{id}", "/a%2Fb/events", ["list": "a%2Fb", "id": "events"]),
      ("/{list}", "/a\u{301}", ["list": "a\u{301}"]),
      ("/status", "/status", [:]),
    ] as [(String, String, [String: String])]
  )
  func `a route receives the parameters of the path by name`(
    pattern: String, path: String, parameters: [String: String]
  ) {
    let routes = Routes([Route(.get, pattern, for: (), handler: ())])
    let routed = routes.find(responses.exchange(Request(method: .get, path: path)))?.routed
    let names = ["id", "list", "other", ""]
    let found = names.reduce(into: [:]) { $0[$1] = routed?[$1].map(String.init) }
    #expect(found == parameters)
  }

  @Test func `responds with 405 to a method that differs in case`() throws {
    let method = try #require(HTTPRequest.Method(rawValue: "get"))
    #expect(try response(method, "/status").status == .methodNotAllowed)
  }

  @Test(arguments: [
    ("/status", "/status"), ("/things/7/events", "/things/{id}/events"), ("/things/", nil),
  ])
  func `a path has the pattern of its routes, without its parameters`(
    path: String, pattern: String?
  ) {
    #expect(routes.pattern(of: path) == pattern)
  }
}
