import TestSupport
import Services
import HTTPTypes
import HTTPSignals
import MailingList
import Signals
import Testing

/// `GET /status`.
@Suite struct StatusStreamTests {
  private let service = ServiceUnderTest { $0.streamHistory = 4 }

  /// Returns all events that are kept, as a client that connects late reads them.
  private func all() throws -> [StreamReader.Event] {
    var stream = try service.get("/status", after: "earliest").stream()
    return stream.read()
  }

  @Test func `a stream without a cursor starts with the next event`() throws {
    service.signUp("ada@example.org")
    let response = service.get("/status")
    #expect(response.status == 200)
    #expect(response["Content-Type"] == "text/event-stream")
    var stream = try response.stream()
    #expect(stream.read().isEmpty)
    service.signUp("bea@example.org")
    let events = stream.read()
    #expect(events.map(\.name) == ["started", "completed"])
    #expect(
      events.map(\.data) == [
        #"{"message":"Sending request...","state":"executing","at":"2027-01-15T08:00:00.000Z"}"#,
        #"{"message":"Thanks","state":"completed","at":"2027-01-15T08:00:00.000Z"}"#,
      ]
    )
    #expect(!stream.isFinished)
  }

  @Test func `reveals the time of a sign-up only to the second`() throws {
    service.clock.advance(milliseconds: 999)
    let id = try #require(service.signUp().id)
    #expect(try all().map { $0["at"] } == Array(repeating: "2027-01-15T08:00:00.000Z", count: 2))
    var own = try service.get("/executions/\(id)/events").stream()
    #expect(own.read().map { $0["at"] } == Array(repeating: "2027-01-15T08:00:00.999Z", count: 2))
    // Times before 1970 are rounded down, too.
    service.clock.advance(milliseconds: -1_800_000_002_998)
    service.signUp()
    #expect(try all().last?["at"] == "1969-12-31T23:59:58.000Z")
  }

  @Test func `status events are anonymous`() throws {
    let service = ServiceUnderTest()
    var stream = try service.get("/status").stream()
    var ids: [String] = []
    for number in 0..<20 {
      let response = service.signUp("person\(number)@secret\(number).example.org")
      ids.append(try #require(response.id))
    }
    service.store.failure = .full
    service.signUp("failing@secret.example.org")
    let events = stream.read()
    #expect(events.count == 42)
    for event in events {
      let block = "\(event.id) \(event.name) \(event.data)"
      #expect(!block.contains("@"))
      #expect(!block.contains("secret"))
      #expect(!block.contains("execution\""))
      // Nor the beginning of an id, which is the epoch of the execution's own stream.
      #expect(!ids.contains { block.contains($0.prefix(8)) })
    }
  }

  @Test func `numbers status events in one sequence, in the epoch of the log`() throws {
    service.signUp()
    service.signUp()
    let events = try all()
    #expect(events.map(\.position) == [1, 2, 3, 4])
    let epoch = try #require(events.first).epoch
    #expect(epoch.utf8.count == 8)
    #expect(epoch.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) })
    let other = ServiceUnderTest()
    other.signUp()
    var stream = try other.get("/status", after: "earliest").stream()
    #expect(stream.read().first?.epoch != epoch)
  }

  @Test func `a status stream resumes after any kept event without gaps or duplicates`() throws {
    service.signUp()
    service.signUp()
    let events = try all()
    for (index, event) in events.enumerated() {
      var stream = try service.get("/status", after: event.id).stream()
      #expect(stream.read() == Array(events.dropFirst(index + 1)))
    }
    var last = try service.get("/status", after: try #require(events.last).id).stream()
    service.signUp()
    #expect(last.read().map(\.position) == [5, 6])
  }

  @Test func `a status stream resumes from the oldest kept event, and resets older cursors`() throws
  {
    for _ in 0..<3 { service.signUp() }
    let events = try all()
    #expect(events.map(\.position) == [3, 4, 5, 6])
    let epoch = try #require(events.first).epoch
    var kept = try service.get("/status", after: "\(epoch)-2").stream()
    #expect(kept.read() == events)
    for position in ["0", "1"] {
      var stream = try service.get("/status", after: "\(epoch)-\(position)").stream()
      let response = stream.read()
      #expect(Array(response.dropFirst()) == events)
      #expect(response[0].name == "reset")
      #expect(response[0].id == "\(epoch)-2")
      #expect(response[0].data == #"{"reason":"expired","from":"\#(epoch)-3"}"#)
    }
  }

  @Test(
    arguments: [
      ("abcdefgh-1", "epoch"), ("x-1", "epoch"), ("abcdefgh", "invalid"), ("-", "invalid"),
      ("-1", "invalid"), ("a-", "invalid"), ("a--1", "invalid"), ("a-1-1", "invalid"),
      ("a-+1", "invalid"), ("a-1x", "invalid"), ("a-99999999999999999999", "invalid"),
      ("a-9223372036854775807", "invalid"), ("a b-1", "invalid"), ("\u{E4}-1", "invalid"),
      ("a\u{0}-1", "invalid"), (String(repeating: "a", count: 63) + "-1", "invalid"),
      ("Earliest", "invalid"),
    ]
  )
  func `sends a reset for a malformed cursor or the cursor of another log`(
    cursor: String, reason: String
  ) throws {
    service.signUp()
    let events = try all()
    var stream = try service.get("/status", after: cursor).stream()
    let response = stream.read()
    #expect(response.map(\.name) == ["reset", "started", "completed"])
    #expect(Array(response.dropFirst()) == events)
    let epoch = events[0].epoch
    #expect(response[0].id == "\(epoch)-0")
    #expect(response[0].data == #"{"reason":"\#(reason)","from":"\#(epoch)-1"}"#)
  }

  @Test func `sends a reset for a cursor ahead of the log; in an empty log it points to itself`()
    throws
  {
    let empty = ServiceUnderTest()
    var stream = try empty.get("/status", after: "x").stream()
    let reset = try #require(stream.read().first)
    #expect(reset.position == 0)
    #expect(reset["from"] == reset.id)
    var ahead = try empty.get("/status", after: "\(reset.epoch)-1").stream()
    #expect(ahead.read().map { $0["reason"] } == ["invalid"])
    // The client has seen no events, and has missed none.
    var resumed = try empty.get("/status", after: reset.id).stream()
    #expect(resumed.read().isEmpty)
    empty.signUp()
    #expect(stream.read().map(\.position) == [1, 2])
    #expect(resumed.read().map(\.position) == [1, 2])
  }

  @Test func `Last-Event-ID takes precedence over the query's cursor`()
    throws
  {
    service.signUp()
    let events = try all()
    func read(
      header: String?, query: String?, named name: String = "last_event_id"
    ) throws -> [StreamReader.Event] {
      var fields = FieldList()
      var pairs = FieldList()
      if let header { fields.append("Last-Event-ID", header) }
      if let query { pairs.append(HTTPField.Name(literal: name), query) }
      let request = Request(method: .get, path: "/status", query: pairs, fields: fields)
      var stream = try service.send(request).stream()
      return stream.read()
    }
    #expect(try read(header: nil, query: "earliest") == events)
    #expect(try read(header: nil, query: events[0].id) == [events[1]])
    #expect(try read(header: events[1].id, query: "earliest").isEmpty)
    #expect(try read(header: events[0].id, query: "nonsense") == [events[1]])
    #expect(try read(header: nil, query: "").isEmpty)
    for name in ["lastEventId", "lastEventID", "last-event-id", "Last-Event-ID"] {
      #expect(try read(header: nil, query: events[0].id, named: name) == [events[1]], "\(name)")
    }
  }

  @Test func `rejects status streams when they are switched off`() {
    let service = ServiceUnderTest { $0.isStatusStreamPublic = false }
    for cursor in [nil, "earliest", "x"] {
      let response = service.get("/status", after: cursor)
      #expect(response.status == 403)
      #expect(response.problem == "stream-disabled")
    }
  }

  /// Opens a stream as a client on another machine.
  private func stream(
    after cursor: String, from client: ClientAddress = .v4(0xCB00_7109),
    of service: ServiceUnderTest
  ) throws -> StreamReader {
    let fields = FieldList(["Last-Event-ID": cursor])
    return try service.send(Request(method: .get, path: "/status", fields: fields, client: client))
      .stream()
  }

  @Test func `a client is sent again at most as many events in ten minutes as a stream may lag`()
    throws
  {
    let service = ServiceUnderTest {
      $0.streamHistory = 4
      $0.streamRate = .limited(count: 1000, per: .seconds(600))
    }
    for _ in 0..<3 { service.signUp() }
    var first = try stream(after: "earliest", of: service)
    let events = first.read()
    #expect(events.map(\.position) == [3, 4, 5, 6])
    var second = try stream(after: "earliest", of: service)
    #expect(second.read().isEmpty)
    // A client that misses events learns of it.
    var third = try stream(after: events[1].id, of: service)
    let reset = try #require(third.read().first)
    #expect(reset.name == "reset")
    #expect(reset.id == events[3].id)
    #expect(reset["reason"] == "expired")
    // All of them go on with what happens next.
    service.signUp()
    for var stream in [second, third] {
      #expect(stream.read().map(\.position) == [7, 8])
    }
    // Clients that have missed nothing, other clients, and this machine are not limited.
    var current = try stream(after: "\(reset.epoch)-8", of: service)
    #expect(current.read().isEmpty)
    var other = try stream(after: "earliest", from: .v4(0xC633_6401), of: service)
    #expect(other.read().count == 4)
    for _ in 0..<3 {
      var local = try stream(after: "earliest", from: .local, of: service)
      #expect(local.read().count == 4)
    }
    service.clock.advance(seconds: 300)
    var half = try stream(after: "earliest", of: service)
    #expect(half.read().map(\.position) == [7, 8])
    service.clock.advance(seconds: 600)
    var whole = try stream(after: "earliest", of: service)
    #expect(whole.read().map(\.position) == [5, 6, 7, 8])
  }

  @Test func `a request without content, and a service without rates, limit nothing`() throws {
    let service = ServiceUnderTest { $0.streamRate = .limited(count: 1000, per: .seconds(600)) }
    service.signUp()
    let request = Request(
      method: .head, path: "/status", fields: FieldList(["Last-Event-ID": "earliest"]),
      client: .v4(0xCB00_7109))
    for _ in 0..<3 { #expect(service.send(request).status == 200) }
    var stream = try stream(after: "earliest", of: service)
    #expect(stream.read().count == 2)
    let unlimited = ServiceUnderTest()
    unlimited.signUp()
    for _ in 0..<3 {
      var stream = try self.stream(after: "earliest", of: unlimited)
      #expect(stream.read().count == 2)
    }
  }
}
