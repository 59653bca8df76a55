import Foundation
import TestSupport
import Testing

/// The change feed, as other programs read it.
@Suite struct EventsTests {
  private let service: RunningService
  private let key: String

  init() throws {
    service = try RunningService(RunningService.operatorFlags + ["--fields", "name,a,b,c,d,e,f,g"])
    key = try service.makeKey("read,write,events")
  }

  private func signUp(_ name: String, fields: String = "") throws {
    let body = #"{"email":"\#(name)@example.com"\#(fields)}"#
    let type = ["Content-Type: application/json"]
    #expect(try service.request("POST", "/subscribers", fields: type, body: body).status == 202)
  }

  /// Opens a stream of the operator's listener, and reads its head.
  private func open(_ query: String = "", fields: [String] = []) throws -> SocketClient {
    let client = try SocketClient(port: try service.operatorPort())
    let authorization = ["Authorization: Bearer \(key)"]
    try client.request("GET", "/api/events/stream\(query)", fields: authorization + fields)
    #expect(try client.readHead().status == 200)
    return client
  }

  private func page(_ query: String = "") throws -> TestResponse {
    try service.operatorRequest("GET", "/api/events\(query)", key: key)
  }

  @Test func `pages have every event once, and say where to go on`() throws {
    for name in ["ana", "bea", "cleo"] { try signUp(name) }
    let erased = try service.operatorRequest(
      "DELETE",
      "/api/subscribers/2",
      key: key,
      fields: ["If-Match: *"]
    )
    #expect(erased.status == 204)
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
    #expect(try page("?types=mail.*").text.contains(#""events":[],"#))
    let epoch = try #require(all.firstMatch(of: /"id":"([0-9a-z]+)-1"/)).1
    for (query, problem) in [
      ("?after=\(epoch)-9", "events-expired"), ("?after=other-1", "events-expired"),
      ("?after=x", "invalid-parameter"), ("?types=x", "invalid-parameter"),
      ("?limit=0", "invalid-parameter"), ("?limit=1001", "invalid-parameter"),
    ] {
      #expect(try page(query).text.contains("/problems/\(problem)"), "\(query)")
    }
    let run = try ChildProcess(
      "enlist",
      ["events", "--types", "subscriber.erased", "--after", "\(epoch)-1"],
      in: service.folder
    )
    let lines = String(decoding: try run.readOutput(), as: UTF8.self).split(separator: "\n")
    #expect(try run.wait() == .exit(0))
    #expect(lines.count == 1 && all.contains(lines[0]))
  }

  @Test func `a stream has the list and then its changes, and resumes anywhere`() throws {
    for name in ["ana", "bea"] { try signUp(name) }
    let stream = try open("?last_event_id=snapshot")
    var ids: [String] = []
    for name in ["snapshot.begin", "snapshot.subscriber", "snapshot.subscriber", "snapshot.end"] {
      let event = try #require(try stream.readEvent())
      #expect(event.event == name)
      ids.append(event.id ?? "")
    }
    try signUp("cleo")
    let event = try #require(try stream.readEvent())
    #expect(event.event == "subscriber.requested")
    #expect(event.data?.contains("cleo@example.com") == true)
    // Interrupted within the snapshot, and after it.
    let again = try open(fields: ["Last-Event-ID: \(ids[1])"])
    let names = ["snapshot.subscriber", "snapshot.subscriber", "snapshot.end", event.event ?? ""]
    #expect(try again.readEventNames(4) == names)
    let tail = try open(fields: ["Last-Event-ID: \(ids[3])"])
    #expect(try tail.readEvent()?.id == event.id)
    let lost = try open(fields: ["Last-Event-ID: other-3"])
    #expect(try lost.readEvent()?.data == #"{"reason":"epoch"}"#)
    #expect(try lost.readEvent()?.event == "snapshot.begin")
    // Without an id, only what follows.
    let new = try open()
    #expect(try new.readEvent()?.event == "position")
    try signUp("dora")
    #expect(try new.readEvent()?.data?.contains("dora@example.com") == true)
  }

  @Test func `an event that is longer than a buffer arrives whole`() throws {
    let value = String(repeating: "\u{1F337}", count: 200)
    let fields = ["name", "a", "b", "c", "d", "e", "f", "g"].map { #","\#($0)":"\#(value)""# }
    let stream = try open("?last_event_id=earliest")
    try signUp("ana", fields: fields.joined())
    try signUp("bea")
    let event = try #require(try stream.readEvent())
    #expect(event.data?.components(separatedBy: value).count == 9)
    #expect(try stream.readEvent()?.data?.contains("bea@example.com") == true)
  }

  @Test func `revoking the key ends its streams`() throws {
    let stream = try open()
    #expect(try stream.readEvent()?.event == "position")
    _ = try service.keys(["revoke", String(key.dropFirst(7).prefix(8))])
    #expect(try stream.readEvent() == nil)
  }
}
