import TestSupport
import Testing

/// The API of the operator's listener, with the list of a service.
@Suite struct APITests {
  private let service: Enlist
  private let key: String

  init() throws {
    service = try Enlist(.operating + ["--fields", "name"])
    key = try service.makeKey("read,write,feedback,add")
    for (index, name) in ["ana", "bea", "cleo"].enumerated() {
      let person = #"{"email":"\#(name)@example.com","name":"N \#(index)","locale":"de"}"#
      try service.post("/subscribers", json: person).expect(202)
    }
  }

  private func request(
    _ method: String, _ path: String, fields: [String] = [], json: String? = nil
  ) throws -> Client.Response {
    try service.operatorRequest(method, path, key: key, fields: fields, json: json)
  }

  @Test func `the pages of the list have everyone once, and name the next`() throws {
    var addresses: [String] = []
    var path = "/api/subscribers?limit=1&state=subscribed,pending"
    for _ in 0..<4 {
      let page = try request("GET", path).expect(200).text
      addresses += page.matches(of: /"address":"([^"]*)"/).map { String($0.1) }
      guard let next = page.firstMatch(of: /"next":"([^"]*)"/) else { break }
      path = "/api/subscribers?limit=1&state=subscribed,pending&cursor=\(next.1)"
    }
    #expect(addresses == ["ana@example.com", "bea@example.com", "cleo@example.com"])
    let suppressed = try request("GET", "/api/subscribers?state=suppressed").text
    #expect(suppressed == #"{"subscribers":[],"next":null}"#)
    var counts = ""
    try eventually("three requests in \(counts)") {
      counts = try request("GET", "/api/counts").text
      #expect(counts.contains(#""subscribed":3"#) && counts.contains(/"as_of":"[0-9a-z]+-3"/))
      return counts.contains(#""requested":3"#)
    }
  }

  @Test func `a change needs the tag of what was read`() throws {
    let read = try request("GET", "/api/subscribers/1")
    let tag = try #require(read["ETag"])
    #expect(read.text.contains(#""fields":{"name":"N 0"}"#))
    try request("GET", "/api/subscribers/1", fields: ["If-None-Match: \(tag)"]).expect(304)
    func put(_ tag: String) throws -> Client.Response {
      try request(
        "PUT", "/api/subscribers/1/state", fields: ["If-Match: \(tag)"],
        json: #"{"state":"unsubscribed"}"#)
    }
    let changed = try put(tag).expect(200)
    #expect(changed.text.contains(#""state":"unsubscribed""#))
    #expect(changed["ETag"] != tag)
    try put(tag).expect(412, "version-mismatch")
    let compressed = try #require(changed["ETag"]).dropLast() + "-gzip\""
    try put("\(tag), W/\(compressed) ").expect(200)
    try put("* ").expect(200)
    let consents = try request("GET", "/api/subscribers/1/consents").text
    #expect(consents.contains(#""kind":"withdrawn""#) && consents.contains(#""means":"operator""#))
    // The form brings nobody back without the owner.
    let people = try service.people()
    #expect(people["ana@example.com"] == "unsubscribed")
  }

  @Test func `erased subscribers are gone, and their suppressions remain`() throws {
    let report = #"{"address":"bea@example.com","kind":"complaint"}"#
    try request("POST", "/api/feedback", json: report).expect(204)
    try request("DELETE", "/api/subscribers/2", fields: ["If-Match: *"]).expect(204)
    try request("DELETE", "/api/subscribers/2", fields: ["If-Match: *"]).expect(404)
    try request("GET", "/api/subscribers/2").expect(404)
    let found = try request(
      "POST", "/api/lookups", json: #"{"addresses":["BEA@example.com","x@example"]}"#)
    #expect(
      found.text
        == #"{"results":[{"address":"BEA@example.com","subscriber":null,"suppression":"complaint"},"#
        + #"{"address":"x@example","invalid":"singleLabelDomain"}]}"#
    )
    let consents = try service.file.numbers(
      "SELECT count(*) FROM consents WHERE subscriber_id = 2")
    #expect(consents == [0])
  }

  @Test func `people are added together, each with its result`() throws {
    func person(_ address: String) -> String {
      #"{"address":"\#(address)","state":"subscribed"}"#
    }
    func add(_ lines: [String]) throws -> Client.Response {
      try service.operatorRequest(
        "POST", "/api/subscribers", key: key, fields: ["Content-Type: application/x-ndjson"],
        body: lines.joined(separator: "\n")
      ).expect(200)
    }
    try request("DELETE", "/api/subscribers/2", fields: ["If-Match: *"]).expect(204)
    let added = try add([
      person("new@example.com"), person("ANA@example.com"), "{", person("new@example.com"),
      person("x"), #"{"address":"a@example.com","state":5}"#, person("bea@example.com"),
    ])
    let results = [
      #"{"result":"new"}"#, #"{"result":"known"}"#, #"{"result":"invalid","name":"line"}"#,
      #"{"result":"duplicate"}"#, #"{"result":"invalid","name":"address"}"#,
      #"{"result":"invalid","name":"state"}"#, #"{"result":"suppressed"}"#, "",
    ]
    #expect(added["Content-Type"] == "application/x-ndjson")
    #expect(added.text == results.joined(separator: "\n"))
    let many = try add((0..<1_000).map { person("p\($0)@example.com") })
    #expect(many.text.matches(of: /"new"/).count == 1_000)
  }

  @Test func `a person is added once, with the proof, and not if that would bring them back`()
    throws
  {
    let dora = #"""
      {"address":"dora@example.com","state":"subscribed","confirmed_at":"2021-03-04T05:06:07Z",
      "fields":{"name":"Dora"},"locale":"fr"}
      """#
    let added = try request("POST", "/api/subscribers", json: dora).expect(201)
    let path = try #require(added["Location"])
    let read = try request("GET", path)
    #expect(read.text == added.text)
    #expect(added.text.contains(#""confirmed_at":"2021-03-04T05:06:07.000Z""#))
    #expect(added.text.contains(#""fields":{"name":"Dora"}"#))
    try request("POST", "/api/subscribers", json: dora).expect(200)
    let consents = try request("GET", "\(path)/consents").text
    #expect(consents.matches(of: /"kind":"imported"/).count == 1)
    let left = #"{"state":"unsubscribed"}"#
    try request("PUT", "\(path)/state", fields: ["If-Match: *"], json: left).expect(200)
    let again = try request("POST", "/api/subscribers", json: dora).expect(200)
    #expect(again.text.contains(#""state":"unsubscribed""#))
    let report = #"{"address":"eve@example.com","kind":"complaint"}"#
    try request("POST", "/api/feedback", json: report).expect(204)
    let eve = dora.replacing("dora@", with: "eve@")
    try request("POST", "/api/subscribers", json: eve).expect(409, "address-suppressed")
  }
}
