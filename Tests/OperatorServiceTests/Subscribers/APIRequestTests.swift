import HTTPSignals
import HTTPTypes
import Security
import TestSupport
import Testing

@testable import MailingList
@testable import Services

/// Requests to the API, up to the store.
@Suite struct APIRequestTests {
  private let service = OperatorUnderTest()

  @Test(arguments: Operator.table.filter { !$0.access.isEmpty }.indices)
  func `a route is reached only with its scopes`(index: Int) throws {
    let route = Operator.table.filter { !$0.access.isEmpty }[index]
    let path = route.pattern.replacing("{id}", with: "7")
    #expect(service.send(route.method, path)?.problem == "unauthorized")
    for scope in KeyScope.allCases {
      for other in [scope, .events] {
        let key = service.makeKey([scope, other]).text
        let response = try #require(service.send(route.method, path, key: key))
        let suffices = route.access.allSatisfy { $0 == scope || $0 == other }
        #expect((response.problem == "insufficient-scope") != suffices, "\(scope) \(other)")
        #expect((response.status == .forbidden) != suffices, "\(scope) \(other)")
      }
    }
  }

  /// Without the media type in these forms, generic HTTP clients could not use the API.
  @Test(
    arguments: [
      "application/json; charset=utf-8", "application/json;charset=\"UTF-8\"", "Application/JSON",
      "application/json ", "application/json; profile=a",
    ]
  )
  func `the media type of a body may have parameters and any case`(mediaType: String) throws {
    let key = service.makeKey(Set(KeyScope.allCases)).text
    let routes = Operator.table.filter { !$0.access.isEmpty && $0.method != .get }
    var decoding = 0
    for route in routes {
      let path = route.pattern.replacing("{id}", with: "7")
      let problems = ["text/plain", mediaType].map { type in
        service.send(route.method, path, key: key, fields: ["Content-Type": type])?.problem
      }
      if problems[0] == "unsupported-media-type" { decoding += 1 }
      #expect(problems[1] != "unsupported-media-type", "\(route.method) \(path)")
    }
    #expect(decoding > 3)
  }

  @Test(
    arguments: [
      ("state", "left"), ("state", "pending,"), ("limit", "0"), ("limit", "501"), ("limit", "x"),
      ("cursor", "-1"), ("cursor", "0"), ("cursor", "%20"), ("created_from", "4/3/2021"),
      ("created_before", "%FF"),
    ]
  )
  func `an invalid parameter is named`(name: String, value: String) throws {
    let request = Request(
      method: .get, path: "/api/subscribers", query: [HTTPField.Name(literal: name): value])
    let error = #expect(throws: ProblemDetails.self) { try SubscriberQuery(request) }
    #expect(error?.text.arguments.map(\.value) == [name])
  }

  @Test func `a query selects by state, language and time, and a cursor continues`() throws {
    let request = Request(
      method: .get,
      path: "/api/subscribers",
      query: [
        HTTPField.Name(literal: "state"): "pending,subscribed",
        HTTPField.Name(literal: "locale"): "de",
        HTTPField.Name(literal: "created_from"): "2026-01-01T00%3A00%3A00Z",
        HTTPField.Name(literal: "created_before"): "2026-02-01+00:00",
        HTTPField.Name(literal: "limit"): "7",
        HTTPField.Name(literal: "cursor"): "zz",
      ]
    )
    let query = try SubscriberQuery(request)
    #expect(query.limit == 7)
    #expect(query.last.map(SubscriberQuery.cursor) == "zz")
    func includes(_ state: Subscriber.State, _ locale: String?, _ time: String) -> Bool {
      query.includes(
        Subscriber(
          id: 1, address: "ana@example.org", state: state, locale: locale,
          createdAt: Timestamp(importing: time) ?? .distantPast, confirmedAt: nil,
          unsubscribedAt: nil, suppression: nil, fields: nil))
    }
    #expect(includes(.pending, "de", "2026-01-01"))
    #expect(!includes(.unsubscribed, "de", "2026-01-01"))
    #expect(!includes(.pending, "fr", "2026-01-01"))
    #expect(!includes(.pending, "de", "2025-12-31T23:59:59.999Z"))
    #expect(!includes(.pending, "de", "2026-02-01"))
  }

  @Test(
    arguments: [
      (.post, "/api/lookups", "{", "malformed-body"),
      (.post, "/api/lookups", "[]", "malformed-body"),
      (.post, "/api/lookups", "{}", "invalid-parameter"),
      (.post, "/api/lookups", #"{"addresses":[]}"#, "invalid-parameter"),
      (.post, "/api/lookups", #"{"addresses":"ana@example.org"}"#, "invalid-parameter"),
      (.put, "/api/subscribers/7/state", #"{"state":"subscribed"}"#, "invalid-parameter"),
      (
        .put, "/api/subscribers/7/state", #"{"state":"suppressed","reason":"x"}"#,
        "invalid-parameter"
      ),
      (.put, "/api/subscribers/7/state", #"{"state":"unsubscribed"}"#, "precondition-required"),
      (.put, "/api/subscribers/0/state", #"{"state":"unsubscribed"}"#, "not-found"),
      (.delete, "/api/subscribers/7", "", "precondition-required"),
      (.delete, "/api/subscribers/x", "", "not-found"),
      (.post, "/api/feedback", #"{"address":"x","kind":"complaint"}"#, "invalid-parameter"),
      (.post, "/api/feedback", #"{"address":"ana@example.org","kind":"x"}"#, "invalid-parameter"),
      (.get, "/api/subscribers/99999999999999999999", "", "not-found"),
      (.get, "/api/counts", "", nil), (.get, "/api/subscribers", "", "storage-unavailable"),
      (
        .post, "/api/feedback", #"{"address":"ana@example.org","kind":"complaint"}"#,
        "storage-unavailable"
      ),
    ] as [(HTTPRequest.Method, String, String, String?)]
  )
  func `what cannot be done has its problem`(
    method: HTTPRequest.Method, path: String, body: String, problem: String?
  ) throws {
    let key = service.makeKey([.read, .write, .feedback]).text
    #expect(service.send(.get, "/api/counts", key: key)?.status == .ok)
    if problem == "storage-unavailable" { service.store.base.failure = .unreachable }
    let response = try #require(service.send(method, path, key: key, json: body))
    #expect(response.problem == problem, "\(response.text)")
  }

  @Test(arguments: [(1000, true), (1001, false)])
  func `at most a thousand people are added at once`(count: Int, areAccepted: Bool) {
    let body = Array(String(repeating: "{}\n", count: count).utf8)
    let additions = Additions(body, ImportMapping(objectsWith: []), at: service.now)
    #expect((additions != nil) == areAccepted)
  }

  @Test func `null is no value of a person who is added`() throws {
    let consent =
      #"{"id":"06gvo8b3avms4t5iuodhr17l8jt78me1r1b0","kind":"requested","at":"2026-01-02T03:04:05Z""#
      + #","means":null,"text":null,"fields":{"name":null},"wording":null}"#
    let people = [
      #""reason":null,"locale":null,"created_at":null,"fields":null,"consents":null"#,
      #""unsubscribed_at":null,"fields":{"name":null,"city":"Ulm"},"consents":[\#(consent)]"#,
    ]
    let lines = people.enumerated().map { index, members in
      #"{"address":"p\#(index)@example.org","state":"subscribed",\#(members)}"#
    }
    let fields = try #require(FormField.list("name,city"))
    let body = Array(lines.joined(separator: "\n").utf8)
    let additions = Additions(body, ImportMapping(objectsWith: fields), at: service.now)
    #expect(additions?.people.map(\.fields) == [nil, #"{"city":"Ulm"}"#])
  }

  @Test(
    arguments: [
      (.post, "/api/webhooks", #"{"url":"https://example.org/","types":null,"from":null}"#),
      (.patch, "/api/webhooks/x", #"{"url":null,"types":null}"#),
      (.post, "/api/webhooks/x/rotate", #"{"overlap":null}"#),
      (.post, "/api/webhooks/x/enable", #"{"from":null}"#),
      (.put, "/api/subscribers/7/state", #"{"state":"suppressed","reason":null}"#),
    ] as [(HTTPRequest.Method, String, String)]
  )
  func `null counts as absent in a body`(
    method: HTTPRequest.Method, path: String, body: String
  ) throws {
    let key = service.makeKey(Set(KeyScope.allCases)).text
    let response = try #require(service.send(method, path, key: key, json: body))
    #expect(response.problem != "invalid-parameter" && response.problem != "malformed-body")
  }

  @Test func `a body that is not JSON has the type that would be`() throws {
    let key = service.makeKey([.read]).text
    let response = try #require(service.send(.post, "/api/lookups", key: key))
    #expect(response.problem == "unsupported-media-type")
    #expect(response.fields[.acceptPost] == "application/json")
  }
}
