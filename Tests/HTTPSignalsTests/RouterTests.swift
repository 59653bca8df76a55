import HTTPSignals
import HTTPTypes
import Signals
import Testing

/// Dispatching exchanges to routes.
@Suite struct RouterTests {
  private let router = Router()
  private let requests = Subject<Exchange, Never>()
  private let responses = RecordedResponses()

  init() {
    let routes: [(HTTPRequest.Method, String)] = [
      (.get, "/status"), (.post, "/subscribers"), (.get, "/a/b"), (.put, "/a/b"),
      (.get, "/things/{id}"), (.delete, "/things/{id}"), (.get, "/things/{id}/events"),
    ]
    for (method, pattern) in routes {
      router.route(method, pattern).subscribe(next: { routed in
        let response = "\(method.rawValue) \(pattern)"
        routed.exchange.respond(Response(status: .ok, body: .bytes(Array(response.utf8))))
      })
    }
    router.connect(to: requests.signal)
  }

  private func response(_ method: HTTPRequest.Method, _ path: String) throws -> Response {
    requests.send(responses.exchange(Request(method: method, path: path)))
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
    let router = Router()
    let routed = Lock<[RoutedExchange]>([])
    router.route(.get, pattern).subscribe(next: { exchange in
      routed.withLock { $0.append(exchange) }
    })
    router.connect(to: requests.signal)
    requests.send(responses.exchange(Request(method: .get, path: path)))
    let names = ["id", "list", "other", ""]
    let found = routed.withLock { $0 }.map { exchange in
      names.reduce(into: [:]) { $0[$1] = exchange[$1].map(String.init) }
    }
    #expect(found == [parameters])
  }

  @Test func `responds with 405 to a method that differs in case`() throws {
    let method = try #require(HTTPRequest.Method(rawValue: "get"))
    #expect(try response(method, "/status").status == .methodNotAllowed)
  }

  @Test func `responds with 500 on a route without observers`() throws {
    let router = Router()
    _ = router.route(.get, "/nobody")
    router.connect(to: requests.signal)
    let request = Request(method: .get, path: "/nobody")
    let recorded = RecordedResponses()
    do {
      let source = Subject<Exchange, Never>()
      router.connect(to: source.signal)
      source.send(recorded.exchange(request))
    }
    #expect(recorded.statuses == [500])
  }

  @Test func `a router stops dispatching when its subscription is disposed`() {
    let router = Router()
    let source = Subject<Exchange, Never>()
    let subscription = router.connect(to: source.signal)
    subscription.dispose()
    source.send(responses.exchange())
    // No route got the exchange, so its release sends 500.
    #expect(responses.statuses == [500])
  }
}
