import TestSupport
import Testing

/// The API of the operator's listener, with the list of a service.
@Suite struct APITests {
  private let service: RunningService
  private let key: String

  init() throws {
    service = try RunningService(RunningService.operatorFlags + ["--fields", "name"])
    key = try service.makeKey("read,write,feedback,add")
    let fields = ["Content-Type: application/json"]
    for (index, name) in ["ana", "bea", "cleo"].enumerated() {
      let body = #"{"email":"\#(name)@example.com","name":"N \#(index)","locale":"de"}"#
      #expect(try service.request("POST", "/subscribers", fields: fields, body: body).status == 202)
    }
  }

  private func request(
    _ method: String, _ path: String, fields: [String] = [], json: String? = nil
  ) throws -> TestResponse {
    try service.operatorRequest(method, path, key: key, fields: fields, json: json)
  }

  @Test func `the pages of the list have everyone once, and name the next`() throws {
    var addresses: [String] = []
    var path = "/api/subscribers?limit=1&state=subscribed,pending"
    for _ in 0..<4 {
      let page = try request("GET", path)
      #expect(page.status == 200)
      addresses += page.text.matches(of: /"address":"([^"]*)"/).map { String($0.1) }
      guard let next = page.text.firstMatch(of: /"next":"([^"]*)"/) else { break }
      path = "/api/subscribers?limit=1&state=subscribed,pending&cursor=\(next.1)"
    }
    #expect(addresses == ["ana@example.com", "bea@example.com", "cleo@example.com"])
    #expect(
      try request("GET", "/api/subscribers?state=suppressed").text
        == #"{"subscribers":[],"next":null}"#
    )
    try Deadline.soon.wait {
      let counts = try request("GET", "/api/counts").text
      #expect(counts.contains(#""subscribed":3"#) && counts.contains(/"as_of":"[0-9a-z]+-3"/))
      return counts.contains(#""requested":3"#)
    }
    // With single opt-in, no one is asked.
    #expect(try request("POST", "/api/subscribers/1/confirmation").status == 409)
    #expect(try request("POST", "/api/subscribers/99/confirmation").status == 404)
  }

  @Test func `a change needs the tag of what was read`() throws {
    let read = try request("GET", "/api/subscribers/1")
    let tag = try #require(read["ETag"])
    #expect(read.text.contains(#""fields":{"name":"N 0"}"#))
    #expect(
      try request("GET", "/api/subscribers/1", fields: ["If-None-Match: \(tag)"]).status == 304)
    let state = #"{"state":"unsubscribed"}"#
    func put(_ fields: [String]) throws -> TestResponse {
      try request("PUT", "/api/subscribers/1/state", fields: fields, json: state)
    }
    #expect(try put([]).status == 428)
    #expect(try put(["If-Match: \"other\""]).status == 412)
    let changed = try put(["If-Match: \(tag)"])
    #expect(changed.status == 200)
    #expect(changed.text.contains(#""state":"unsubscribed""#))
    #expect(changed["ETag"] != tag)
    #expect(try put(["If-Match: \(tag)"]).status == 412)
    #expect(try put(["If-Match: *"]).status == 200)
    let consents = try request("GET", "/api/subscribers/1/consents").text
    #expect(consents.contains(#""kind":"withdrawn""#) && consents.contains(#""means":"operator""#))
    // The form brings nobody back without the owner.
    #expect(try service.exportedStates()["ana@example.com"] == "unsubscribed")
  }

  @Test func `erased subscribers are gone, and their suppressions remain`() throws {
    let report = #"{"address":"bea@example.com","kind":"complaint"}"#
    #expect(try request("POST", "/api/feedback", json: report).status == 204)
    #expect(try request("DELETE", "/api/subscribers/2").status == 428)
    #expect(try request("DELETE", "/api/subscribers/2", fields: ["If-Match: *"]).status == 204)
    #expect(try request("DELETE", "/api/subscribers/2", fields: ["If-Match: *"]).status == 404)
    #expect(try request("GET", "/api/subscribers/2").status == 404)
    let found = try request(
      "POST", "/api/lookups", json: #"{"addresses":["BEA@example.com","x@y"]}"#)
    #expect(
      found.text
        == #"{"results":[{"address":"BEA@example.com","subscriber":null,"suppression":"complaint"},"#
        + #"{"address":"x@y","invalid":"singleLabelDomain"}]}"#
    )
    #expect(
      try service.file.numbers("SELECT count(*) FROM consents WHERE subscriber_id = 2") == [0])
  }

  @Test func `people are added together, each with its result`() throws {
    func person(_ address: String) -> String {
      #"{"address":"\#(address)","state":"subscribed"}"#
    }
    let lines = [
      person("new@example.com"), person("ANA@example.com"), "{", person("new@example.com"),
      person("x"), #"{"address":"a@example.com","state":5}"#, person("bea@example.com"),
    ]
    #expect(try request("DELETE", "/api/subscribers/2", fields: ["If-Match: *"]).status == 204)
    func add(_ body: String) throws -> TestResponse {
      let type = ["Content-Type: application/x-ndjson"]
      let client = try SocketClient(port: try service.operatorPort())
      try client.request(
        "POST", "/api/subscribers", fields: ["Authorization: Bearer \(key)"] + type, body: body)
      return try client.readResponse(to: "POST")
    }
    let results = [
      #"{"result":"new"}"#, #"{"result":"known"}"#, #"{"result":"invalid","name":"line"}"#,
      #"{"result":"duplicate"}"#, #"{"result":"invalid","name":"address"}"#,
      #"{"result":"invalid","name":"state"}"#, #"{"result":"suppressed"}"#, "",
    ]
    let added = try add(lines.joined(separator: "\n"))
    #expect(added["Content-Type"] == "application/x-ndjson")
    #expect(added.text == results.joined(separator: "\n"))
    let many = (0..<1_001).map { person("p\($0)@example.com") + "\n" }
    #expect(try add(many.joined()).status == 400)
    #expect(try add(many.dropLast().joined()).text.matches(of: /"new"/).count == 1_000)
  }

  @Test func `a person is added once, with the proof, and not if that would bring them back`()
    throws
  {
    let dora = #"""
      {"address":"dora@example.com","state":"subscribed","confirmed_at":"2021-03-04T05:06:07Z",
      "fields":{"name":"Dora"},"locale":"fr"}
      """#
    let added = try request("POST", "/api/subscribers", json: dora)
    #expect(added.status == 201)
    let path = try #require(added["Location"])
    #expect(try request("GET", path).text == added.text)
    #expect(added.text.contains(#""confirmed_at":"2021-03-04T05:06:07.000Z""#))
    #expect(added.text.contains(#""fields":{"name":"Dora"}"#))
    #expect(try request("POST", "/api/subscribers", json: dora).status == 200)
    let consents = try request("GET", "\(path)/consents").text
    #expect(consents.matches(of: /"kind":"imported"/).count == 1)
    let left = #"{"state":"unsubscribed"}"#
    #expect(try request("PUT", "\(path)/state", fields: ["If-Match: *"], json: left).status == 200)
    let again = try request("POST", "/api/subscribers", json: dora)
    #expect(again.status == 200)
    #expect(again.text.contains(#""state":"unsubscribed""#))
    let report = #"{"address":"eve@example.com","kind":"complaint"}"#
    #expect(try request("POST", "/api/feedback", json: report).status == 204)
    let eve = dora.replacing("dora@", with: "eve@")
    #expect(try request("POST", "/api/subscribers", json: eve).status == 409)
    for (member, value) in [
      ("state", "5"), ("state", #""left""#), ("fields", #"{"name":5}"#), ("consents", "[1]"),
      ("confirmed_at", #""4/3/2021""#), ("address", #""x""#), ("reason", #""x""#),
    ] {
      let valid = ["address": #""f@example.com""#, "state": #""pending""#]
      let members = valid.merging([member: value]) { $1 }
      let bad = "{\(members.map { "\"\($0)\":\($1)" }.joined(separator: ","))}"
      #expect(try request("POST", "/api/subscribers", json: bad).status == 400, "\(bad)")
    }
  }

  @Test func `no address or key is in the log`() throws {
    _ = try request("POST", "/api/lookups", json: #"{"addresses":["ana@example.com"]}"#)
    _ = try request("GET", "/api/subscribers?cursor=x%20ana@example.com")
    let log = try service.endAndReadLog()
    #expect(!log.contains("ana@") && !log.contains(key))
  }
}
