import Glibc
import TestSupport
import Testing

/// Tests of `GET /status`, whose clients can resume after a disconnect.
@Suite struct StatusStreamTests {
  @Test func `a client resumes after any event and misses none`() throws {
    let service = try Enlist()
    for number in 1...3 { try service.signUp("a\(number)@example.com").expect(202) }
    let all = try service.stream("/status?last_event_id=earliest")
    let events = try (0..<6).map { _ in try #require(try all.readEvent()) }
    #expect(events.map(\.event) == (0..<3).flatMap { _ in ["started", "completed"] })
    let ids = events.compactMap(\.id)
    #expect(Set(ids.map { $0.prefix { $0 != "-" } }).count == 1)
    #expect(Set(ids).count == 6)

    for (index, id) in ids.enumerated() {
      let stream = try service.stream(after: id)
      for event in events.dropFirst(index + 1) {
        let next = try stream.readEvent()
        #expect(next == event)
      }
    }
    // The header overrides the query, which stays the same when a browser reconnects.
    let both = try service.stream("/status?last_event_id=earliest", after: ids[4])
    let next = try both.readEvent()
    #expect(next == events[5])
    try service.signUp("b@example.com").expect(202)
    #expect(try both.readEvent()?.event == "started")
    #expect(try all.readEvent()?.event == "started")
  }

  @Test func `a malformed cursor gets a reset and all stored events`() throws {
    let service = try Enlist()
    try service.signUp("ana@example.com").expect(202)
    for (cursor, reason) in [
      ("not an id", "invalid"), ("x", "invalid"), ("x-1", "epoch"),
      (String(repeating: "9", count: 65), "invalid"),
    ] {
      let stream = try service.stream(after: cursor)
      let reset = try #require(try stream.readEvent())
      #expect(reset.event == "reset", "\(cursor)")
      #expect(reset.data?.hasPrefix(#"{"reason":"\#(reason)","from":""#) == true, "\(reset)")
      let first = try #require(try stream.readEvent())
      #expect(reset.data?.contains(first.id ?? "none") == true, "\(reset) \(first)")
      #expect(first.event == "started")
      #expect(try stream.readEvent()?.event == "completed")
    }
  }

  @Test func `a client gets a reset after a long absence or a restart`() throws {
    let service = try Enlist(["--stream-history", "2", "--drain", "0s"])
    try service.signUp("a1@example.com").expect(202)
    let seen = try service.stream("/status?last_event_id=earliest")
    let first = try #require(try seen.readEvent())
    for number in 2...4 { try service.signUp("a\(number)@example.com").expect(202) }
    let late = try service.stream(after: first.id)
    #expect(try late.readEvent()?.data?.contains(#""reason":"expired""#) == true)
    #expect(try late.readEvent()?.event == "started")
    let end = try service.process.wait(after: SIGTERM)
    #expect(end == .exit(0))

    try service.restart()
    let restarted = try service.stream(after: first.id)
    #expect(try restarted.readEvent()?.data?.contains(#""reason":"epoch""#) == true)
    try service.signUp("a5@example.com").expect(202)
    #expect(try restarted.readEvent()?.event == "started")
  }

  @Test func `a silent stream sends keep-alive comments`() throws {
    let service = try Enlist(["--heartbeat", "20ms"])
    let stream = try service.stream()
    for _ in 0..<3 { #expect(try stream.readEventLine() == ":") }
    try service.signUp("ana@example.com").expect(202)
    #expect(try stream.readEvent()?.event == "started")
  }

  @Test func `a disabled status stream is rejected, but an execution's stream is not`() throws {
    let service = try Enlist(["--status-stream", "off"])
    try service.get("/status").expect(403, "stream-disabled")
    let id = try service.signUp("ana@example.com").expect(202).execution
    let events = try service.stream("/executions/\(id)/events")
    #expect(try events.readEvent()?.event == "started")
  }

  @Test func `a stream beyond the limit gets a busy comment`() throws {
    let service = try Enlist(["--max-streams", "1"])
    let stream = try service.stream()
    let busy = try service.get("/status", fields: ["Accept: text/event-stream"]).expect(200)
    #expect(busy.text.hasSuffix("\n: busy\n"), "\(busy)")
    try service.signUp("ana@example.com").expect(202)
    #expect(try stream.readEvent()?.event == "started")
  }

  @Test func `a stream ends after its lifetime, and its client resumes where it was`() throws {
    let service = try Enlist(["--stream-lifetime", "100ms..200ms"])
    try service.signUp("ana@example.com").expect(202)
    let stream = try service.stream("/status?last_event_id=earliest")
    var last: String?
    while let event = try stream.readEvent() { last = event.id }
    try service.signUp("ben@example.com").expect(202)
    try #require(last != nil)
    let resumed = try service.stream(after: last)
    #expect(try resumed.readEvent()?.event == "started")
    #expect(try resumed.readEvent()?.event == "completed")
    #expect(try resumed.readEvent() == nil)
  }
}
