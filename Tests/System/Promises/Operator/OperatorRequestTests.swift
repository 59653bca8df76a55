import TestSupport
import Testing

/// Tests of requests to the operator's listener that need a key, or cannot be fulfilled.
@Suite struct OperatorRequestTests {
  @Test func `a request without the right key gets a problem, except where none is needed`() throws
  {
    let service = try Enlist(.operating)
    try service.expectAtOperator(
      [
        Row("GET /livez", 200),
        Row("GET /readyz", 200),
        Row("GET /openapi.json", 200),
        Row("GET /problems/unauthorized", 200),
        Row("GET /problems/none", 404, "not-found"),
        Row("GET /subscribers", 404, "not-found"),
        Row("OPTIONS /livez", 405, "method-not-allowed"),
        Row("OPTIONS /readyz", 405, "method-not-allowed"),
        Row("OPTIONS /openapi.json", 405, "method-not-allowed"),
        Row("OPTIONS /problems/unauthorized", 405, "method-not-allowed"),
        Row("POST /metrics", 405, "method-not-allowed"),
        Row("GET /metrics", 401, "unauthorized"),
        Row("GET /api/subscribers", 401, "unauthorized"),
        Row("POST /api/lookups", 401, "unauthorized", json: "{}"),
        Row("GET /metrics", 401, "unauthorized", fields: ["Authorization: Bearer x"]),
        Row("GET /livez", 400, "malformed-request", fields: ["Host: b"]),
      ])
    let origin = ["Origin: https://shop.example"]
    try service.expectAtOperator(
      [
        Row("GET /api/subscribers", 200),
        Row("GET /metrics", 403, "insufficient-scope"),
        Row("DELETE /api/subscribers/1", 403, "insufficient-scope"),
        Row("GET /api/subscribers", 403, "key-in-browser", fields: origin),
      ],
      key: try service.makeKey("read")
    )
  }

  @Test func `what the API cannot do has its problem`() throws {
    let service = try Enlist(.operating + ["--fields", "name"])
    try service.signUp("ana@example.com").expect(202)
    let unsubscribed = #"{"state":"unsubscribed"}"#
    func person(_ members: String) -> String { #"{"address":"bea@example.com",\#(members)}"# }
    let many = Array(repeating: person(#""state":"subscribed""#), count: 1_001)
    try service.expectAtOperator(
      [
        Row("GET /api/subscribers?limit=0", 400, "invalid-parameter"),
        Row("GET /api/subscribers?state=left", 400, "invalid-parameter"),
        Row("GET /api/subscribers?cursor=x%20ana@example.com", 400, "invalid-parameter"),
        Row("GET /api/subscribers/99", 404, "not-found"),
        Row("GET /api/subscribers/x", 404, "not-found"),
        Row("GET /api/subscribers/99/consents", 404, "not-found"),
        // With single opt-in, no one is asked.
        Row("POST /api/subscribers/1/confirmation", 409, "not-pending"),
        Row("POST /api/subscribers/99/confirmation", 404, "not-found"),
        // A change needs the tag of what was read.
        Row("PUT /api/subscribers/1/state", 428, "precondition-required", json: unsubscribed),
        Row(
          "PUT /api/subscribers/1/state", 412, "version-mismatch", json: unsubscribed,
          fields: ["If-Match: \"other\""]),
        Row(
          "PUT /api/subscribers/1/state", 400, "invalid-parameter",
          json: #"{"state":"subscribed"}"#, fields: ["If-Match: *"]),
        Row("DELETE /api/subscribers/1", 428, "precondition-required"),
        Row("DELETE /api/subscribers/99", 404, "not-found", fields: ["If-Match: *"]),
        Row("POST /api/lookups", 415, "unsupported-media-type", json: "{}", as: "text/plain"),
        Row("POST /api/lookups", 400, "malformed-body", json: "{"),
        Row("POST /api/lookups", 400, "malformed-body", json: "[]"),
        Row("POST /api/lookups", 400, "invalid-parameter", json: "{}"),
        Row("POST /api/lookups", 400, "invalid-parameter", json: #"{"addresses":[]}"#),
        Row(
          "POST /api/feedback", 400, "invalid-parameter",
          json: #"{"address":"x","kind":"complaint"}"#),
        Row("POST /api/feedback", 400, "invalid-parameter", json: person(#""kind":"x""#)),
        Row("POST /api/subscribers", 400, "invalid-parameter", json: person(#""state":5"#)),
        Row("POST /api/subscribers", 400, "invalid-parameter", json: person(#""state":"left""#)),
        Row(
          "POST /api/subscribers", 400, "invalid-parameter",
          json: person(#""state":"pending","fields":{"name":5}"#)),
        Row(
          "POST /api/subscribers", 400, "invalid-parameter",
          json: person(#""state":"pending","consents":[1]"#)),
        Row(
          "POST /api/subscribers", 400, "invalid-parameter",
          json: person(#""state":"pending","confirmed_at":"4/3/2021""#)),
        Row(
          "POST /api/subscribers", 400, "invalid-parameter",
          json: person(#""state":"pending","reason":"x""#)),
        Row(
          "POST /api/subscribers", 400, "invalid-parameter",
          json: #"{"address":"x","state":"pending"}"#),
        // One more than can be added together.
        Row(
          "POST /api/subscribers", 400, "invalid-parameter",
          json: many.joined(separator: "\n"), as: "application/x-ndjson"),
        Row("GET /api/events?after=x", 400, "invalid-parameter"),
        Row("GET /api/events?types=x", 400, "invalid-parameter"),
        Row("GET /api/events?after=zzzzzzzz-1", 410, "events-expired"),
        Row("GET /api/webhooks/none", 404, "not-found"),
        Row("DELETE /api/webhooks/none", 404, "not-found"),
        Row("POST /api/webhooks", 400, "invalid-parameter", json: "{}"),
        Row("POST /api/webhooks", 400, "invalid-parameter", json: #"{"url":"https:///hook"}"#),
        Row("POST /api/webhooks", 400, "invalid-parameter", json: #"{"url":"https://:8443/"}"#),
        Row(
          "POST /api/webhooks", 422, "webhook-target-not-allowed",
          json: #"{"url":"https://10.0.0.1/"}"#),
      ],
      key: try service.makeKey("read,write,feedback,add,events,webhooks")
    )
    // Nothing of it has changed the list.
    let people = try service.people()
    #expect(people == ["ana@example.com": "subscribed"])
  }
}
