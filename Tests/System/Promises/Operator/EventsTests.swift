import Foundation
import TestSupport
import Testing

/// The change feed, as other programs read it.
@Suite struct EventsTests {
  private let service: Enlist
  private let key: String

  init() throws {
    service = try Enlist(.operating + ["--fields", "name,a,b,c,d,e,f,g"])
    key = try service.makeKey("read,write,events")
  }

  private func signUp(_ name: String, fields: String = "") throws {
    try service.post("/subscribers", json: #"{"email":"\#(name)@example.com"\#(fields)}"#)
      .expect(202)
  }

  /// Opens a stream of the operator's listener, and reads its head.
  private func open(_ query: String = "", fields: [String] = []) throws -> Client {
    let client = try Client(port: try service.operatorPort())
    let authorization = ["Authorization: Bearer \(key)"]
    try client.request("GET", "/api/events/stream\(query)", fields: authorization + fields)
    try client.readHead().expect(200)
    return client
  }

  private func page(_ query: String = "") throws -> Client.Response {
    try service.operatorRequest("GET", "/api/events\(query)", key: key)
  }

  @Test func `pages have every event once, and say where to go on`() throws {
    for name in ["ana", "bea", "cleo"] { try signUp(name) }
    try service.operatorRequest(
      "DELETE", "/api/subscribers/2", key: key, fields: ["If-Match: *"]
    ).expect(204)
    var types: [String] = []
    var query = "?limit=2"
    var isComplete = false
    while !isComplete {
      let page = try page(query)
      try #require(page.status == 200)
      types += page.text.matches(of: /"type":"([^"]*)"/).map { String($0.1) }
      let last = try #require(page.text.firstMatch(of: /"last":"([^"]*)"/))
      query = "?limit=2&after=\(last.1)"
      isComplete = page.text.contains(#""is_complete":true"#)
    }
    let requested = "subscriber.requested"
    #expect(types == [requested, requested, requested, "subscriber.erased"])
    // The address of the erased person is in no event.
    let all = try page().text
    #expect(all.contains("ana@example.com") && !all.contains("bea@example.com"))
    #expect(all.contains(#""actor":"key:\#(key.dropFirst(7).prefix(8))""#))
    let none = try page("?types=mail.*").text
    #expect(none.contains(#""events":[],"#))
    let epoch = try #require(all.firstMatch(of: /"id":"([0-9a-z]+)-1"/)).1
    try service.expectAtOperator(
      [
        Row("GET /api/events?after=\(epoch)-9", 410, "events-expired"),
        Row("GET /api/events?limit=0", 400, "invalid-parameter"),
        Row("GET /api/events?limit=1001", 400, "invalid-parameter"),
      ], key: key)
    let run = try service.run(
      "events", "--types", "subscriber.erased", "--after", "\(epoch)-1")
    let lines = run.output.split(separator: "\n")
    #expect(run.end == .exit(0), "\(run.errors)")
    #expect(lines.count == 1 && all.contains(lines[0]), "\(lines)")
  }

  @Test func `a stream has the list and then its changes, and resumes anywhere`() throws {
    for name in ["ana", "bea"] { try signUp(name) }
    let stream = try open("?last_event_id=snapshot")
    let snapshot = try (0..<4).map { _ in try #require(try stream.readEvent()) }
    #expect(
      snapshot.map(\.event)
        == ["snapshot.begin", "snapshot.subscriber", "snapshot.subscriber", "snapshot.end"])
    try signUp("cleo")
    let event = try #require(try stream.readEvent())
    #expect(event.event == "subscriber.requested")
    #expect(event.data?.contains("cleo@example.com") == true)
    // Interrupted within the snapshot, and after it.
    let again = try open(fields: ["Last-Event-ID: \(snapshot[1].id ?? "")"])
    let names = try again.readEventNames(4)
    #expect(
      names
        == ["snapshot.subscriber", "snapshot.subscriber", "snapshot.end", "subscriber.requested"])
    let tail = try open(fields: ["Last-Event-ID: \(snapshot[3].id ?? "")"]).readEvent()
    #expect(tail?.id == event.id)
    let lost = try open(fields: ["Last-Event-ID: other-3"])
    let reset = try lost.readEvent()
    #expect(reset?.data == #"{"reason":"epoch"}"#)
    let begin = try lost.readEvent()
    #expect(begin?.event == "snapshot.begin")
    // Without an id, only what follows.
    let new = try open()
    let position = try new.readEvent()
    #expect(position?.event == "position")
    try signUp("dora")
    let following = try new.readEvent()
    #expect(following?.data?.contains("dora@example.com") == true)
  }

  @Test func `an event that is longer than a buffer arrives whole`() throws {
    let value = String(repeating: "\u{1F337}", count: 200)
    let fields = ["name", "a", "b", "c", "d", "e", "f", "g"].map { #","\#($0)":"\#(value)""# }
    let stream = try open("?last_event_id=earliest")
    try signUp("ana", fields: fields.joined())
    try signUp("bea")
    let event = try stream.readEvent()
    #expect(event?.data?.components(separatedBy: value).count == 9)
    let next = try stream.readEvent()
    #expect(next?.data?.contains("bea@example.com") == true)
  }

  @Test func `revoking the key ends its streams`() throws {
    let stream = try open()
    let position = try stream.readEvent()
    #expect(position?.event == "position")
    let revoked = try service.run("keys", "revoke", String(key.dropFirst(7).prefix(8)))
    #expect(revoked.end == .exit(0), "\(revoked.errors)")
    let end = try stream.readEvent()
    #expect(end == nil)
  }
}
