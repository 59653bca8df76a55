import HTTPSignals
import HTTPTypes
import Locks
import Signals
import Testing

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
      router.route(method, pattern).subscribe(next: { exchange in
        let response = "\(method.rawValue) \(pattern)"
        exchange.respond(Response(status: .ok, body: .bytes(Array(response.utf8))))
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
  func `takes a request to its route`(
    method: HTTPRequest.Method,
    path: String,
    route: String
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
  func `knows no path but its routes' own, byte by byte`(path: String) throws {
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
  func `says which methods a path knows`(
    method: HTTPRequest.Method,
    path: String,
    allowed: String
  ) throws {
    let response = try response(method, path)
    #expect(response.status == .methodNotAllowed)
    #expect(response.fields[.allow] == allowed)
    #expect(response.text.contains(#""type":"/problems/method-not-allowed""#))
  }

  @Test func `does not know a method that differs in letter case`() throws {
    let method = try #require(HTTPRequest.Method(rawValue: "get"))
    #expect(try response(method, "/status").status == .methodNotAllowed)
  }

  @Test func `answers 500 on a route that nobody is subscribed to`() throws {
    let router = Router()
    _ = router.route(.get, "/nobody")
    router.connect(to: requests.signal)
    let request = Request(method: .get, path: "/nobody")
    let seen = RecordedResponses()
    do {
      let lonely = Subject<Exchange, Never>()
      router.connect(to: lonely.signal)
      lonely.send(seen.exchange(request))
    }
    #expect(seen.statuses == [500])
  }

  @Test func `stops when its connection is disposed`() {
    let router = Router()
    let source = Subject<Exchange, Never>()
    let subscription = router.connect(to: source.signal)
    subscription.dispose()
    source.send(responses.exchange())
    // Nobody took it, so letting go of it is its answer.
    #expect(responses.statuses == [500])
  }
}

@Suite struct RequestTests {
  @Test(
    arguments: [
      ("/executions/4jd9", 0, "executions"),
      ("/executions/4jd9", 1, "4jd9"),
      ("/executions/4jd9", 2, nil),
      ("/executions/4jd9/events", 2, "events"),
      ("/executions/", 1, ""),
      ("/", 0, ""),
      ("/a%2Fb", 0, "a%2Fb"),
    ] as [(String, Int, String?)]
  )
  func `has segments`(path: String, index: Int, segment: String?) {
    #expect(Request(method: .get, path: path).segment(index).map(String.init) == segment)
  }

  @Test func `finds fields without regard to the case of their names`() {
    let fields = FieldList([
      "Content-TYPE": "text/plain", "X": "", "Prefer": "a", "prefer": "b", "@[`{": "c",
    ])
    let request = Request(method: .get, path: "/", fields: fields)
    #expect(request.fields.first("content-type") == "text/plain")
    #expect(request.fields.first("accept") == nil)
    #expect(request.fields.first("x") == "")
    #expect(request.fields.values(of: "prefer") == ["a", "b"])
    #expect(request.fields.first("@[`{") == "c")
    // Only letters have case: `@` and `` ` `` differ in the same bit as `A` and `a`.
    #expect(request.fields.first("`[`{") == nil)
    #expect(request.fields.count == 5)
  }
}
