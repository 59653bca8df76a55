import TestSupport
import HTTPSignals
import HTTPTypes
import MailingList
import Platform
import Signals
import Services
import Testing

/// `GET /executions/{id}` and `GET /executions/{id}/events`.
@Suite struct ExecutionTests {
  private let service = ServiceUnderTest()

  private func snapshot(_ id: String, _ state: String, _ message: String) -> String {
    #"{"execution":{"id":"\#(id)","state":"\#(state)","message":"\#(message)"}}"#
  }

  /// Starts a sign-up that stays in flight until `release` completes.
  private func start() throws -> (id: String, release: ReplaySubject<Void, Never>) {
    let release = ReplaySubject<Void, Never>()
    service.store.hold(until: release)
    return (try #require(service.signUp(prefer: "respond-async").id), release)
  }

  @Test func `shows the current state of an execution`() throws {
    let (id, release) = try start()
    let path = "/executions/\(id)"
    let before = service.get(path)
    #expect(before.status == 200)
    #expect(before["Cache-Control"] == "no-store")
    #expect(before.text == snapshot(id, "executing", "Sending request..."))
    release.complete()
    #expect(service.get(path).text == snapshot(id, "completed", "Thanks"))
  }

  @Test func `shows a failed execution`() throws {
    let (id, release) = try start()
    service.store.failure = .full
    release.complete()
    service.store.failure = nil
    #expect(service.get("/executions/\(id)").text == snapshot(id, "failed", "Error :("))
    var stream = try service.get("/executions/\(id)/events").stream()
    let events = stream.read()
    #expect(events.map(\.name) == ["started", "failed"])
    #expect(events.allSatisfy { !$0.data.contains("Thanks") })
    #expect(stream.isFinished)
  }

  @Test(
    arguments: [
      "x", "0", "000000000000000000000000000000000000", "00000000000000000000000000000000000v",
      "0000000000000000000000000000000000000", "%00", "..", "ada@example.org",
      "00000000000000000000000000000000000\u{301}0",
    ]
  )
  func `responds with 404 for an unknown execution`(id: String) {
    for path in ["/executions/\(id)", "/executions/\(id)/events"] {
      let response = service.get(path)
      #expect(response.status == 404)
      #expect(response.problem == "not-found")
    }
  }

  @Test func `an id that no execution can have does not reach the store`() {
    service.store.failure = .locked
    let response = service.get("/executions/000000000000000000000000000000000000")
    #expect(response.status == 404)
  }

  @Test(arguments: [
    StoreError.full, .locked, .readOnly, .damaged, .replaced, .overloaded, .closed, .unreachable,
    .undetermined, .executing,
  ])
  func `an EventSource reconnects later to a stream that cannot be read, and is never rejected`(
    failure: StoreError
  ) throws {
    let id = try #require(service.signUp().id)
    let restarted = ServiceUnderTest(store: service.store)
    restarted.store.failure = failure
    func open(_ accept: String, _ query: FieldList = FieldList()) -> TestResponse {
      let fields = FieldList(["Accept": accept, "Last-Event-ID": "\(id.prefix(8))-1"])
      let path = "/executions/\(id)/events"
      return restarted.send(Request(method: .get, path: path, query: query, fields: fields))
    }
    for query in [FieldList(), FieldList(["until": "confirmed"])] {
      for accept in ["text/event-stream", "text/html, text/event-stream;q=0.9"] {
        let response = open(accept, query)
        #expect(response.status == 200)
        #expect(response["Content-Type"] == "text/event-stream")
        #expect(response.text.hasSuffix("\n: busy\n"))
      }
      #expect([409, 503].contains(open("*/*", query).status))
    }
    restarted.store.failure = nil
    var stream = try open("text/event-stream").stream()
    #expect(stream.read().map(\.name) == ["completed"])
  }

  @Test func `an execution that cannot be looked up gets 503, and is an error of the store`() throws
  {
    let id = try #require(service.signUp().id)
    let registry = MetricRegistry([])
    let restarted = ServiceUnderTest(store: service.store) { $0.metrics = registry }
    restarted.store.failure = .locked
    for path in ["executions", "thanks"] {
      #expect(restarted.get("/\(path)/\(id)").status == 503)
    }
    let text = String(decoding: registry.text(), as: UTF8.self)
    #expect(text.contains("enlist_store_errors_total{error=\"locked\"} 2\n"))
  }

  @Test func `finds a stored execution after a restart`() throws {
    let id = try #require(service.signUp().id)
    let restarted = ServiceUnderTest(store: service.store)
    #expect(restarted.get("/executions/\(id)").text == snapshot(id, "completed", "Thanks"))
    var before = try service.get("/executions/\(id)/events").stream()
    var after = try restarted.get("/executions/\(id)/events").stream()
    let events = after.read()
    #expect(events.map(\.id) == before.read().map(\.id))
    #expect(events.map(\.name) == ["started", "completed"])
    #expect(after.isFinished)
    #expect(restarted.get("/executions/\(id)/events", after: events[1].id).status == 204)
    var rest = try restarted.get("/executions/\(id)/events", after: events[0].id).stream()
    #expect(rest.read() == [events[1]])
  }

  @Test func `forgets a failed execution after a restart`() throws {
    let (id, release) = try start()
    service.store.failure = .full
    release.complete()
    service.store.failure = nil
    #expect(service.get("/executions/\(id)").status == 200)
    #expect(ServiceUnderTest(store: service.store).get("/executions/\(id)").status == 404)
  }

  @Test func `streams an execution's history and further messages, then ends`() throws {
    let (id, release) = try start()
    let response = service.get("/executions/\(id)/events")
    #expect(response.status == 200)
    #expect(response["Content-Type"] == "text/event-stream")
    var stream = try response.stream()
    let at = "2027-01-15T08:00:00.000Z"
    let epoch = id.prefix(8)
    let started = StreamReader.Event(
      id: "\(epoch)-1",
      name: "started",
      data: #"{"message":"Sending request...","state":"executing","at":"\#(at)","#
        + #""execution":"\#(id)","seq":1}"#
    )
    #expect(stream.read() == [started])
    #expect(!stream.isFinished)
    release.complete()
    let completed = StreamReader.Event(
      id: "\(epoch)-2",
      name: "completed",
      data: #"{"message":"Thanks","state":"completed","at":"\#(at)","#
        + #""execution":"\#(id)","seq":2}"#
    )
    #expect(stream.read() == [completed])
    #expect(stream.isFinished)
    var again = try service.get("/executions/\(id)/events").stream()
    #expect(again.read() == [started, completed])
    #expect(again.isFinished)
  }

  @Test func `streams an execution to several clients`() throws {
    let (id, release) = try start()
    var streams = try (0..<3).map { _ in try service.get("/executions/\(id)/events").stream() }
    release.complete()
    for index in streams.indices {
      #expect(streams[index].read().map(\.name) == ["started", "completed"])
      #expect(streams[index].isFinished)
    }
  }

  @Test func `a client resumes an execution's stream, and gets 204 after its end`() throws {
    let (id, release) = try start()
    let path = "/executions/\(id)/events"
    var early = try service.get(path, after: "\(id.prefix(8))-1").stream()
    #expect(early.read().isEmpty)
    var ahead = try service.get(path, after: "\(id.prefix(8))-2").stream()
    #expect(ahead.read().map(\.name) == ["reset", "started"])
    release.complete()
    #expect(early.read().map(\.name) == ["completed"])
    var late = try service.get(path, after: "\(id.prefix(8))-1").stream()
    #expect(late.read().map(\.name) == ["completed"])
    for position in ["2", "3", "1000000"] {
      let over = service.get(path, after: "\(id.prefix(8))-\(position)")
      #expect(over.status == 204)
      #expect(over.text.isEmpty)
    }
  }

  @Test(
    arguments: [
      ("x", "invalid"), ("a b-1", "invalid"), ("zzzzzzzz-1", "epoch"), ("1-2-3", "invalid"),
    ]
  )
  func `sends a reset for a malformed cursor or the cursor of another execution`(
    cursor: String, reason: String
  ) throws {
    let id = try #require(service.signUp().id)
    var stream = try service.get("/executions/\(id)/events", after: cursor).stream()
    let events = stream.read()
    #expect(events.map(\.name) == ["reset", "started", "completed"])
    #expect(events[0].data == #"{"reason":"\#(reason)","from":"\#(events[1].id)"}"#)
    #expect(events[0].position == 0)
    #expect(events.allSatisfy { $0.epoch == events[1].epoch })
  }

  @Test func `shows the same execution from the store after the directory has forgotten it`()
    throws
  {
    let id = try #require(service.signUp().id)
    let before = service.get("/executions/\(id)").text
    service.clock.advance(seconds: 601)
    #expect(service.get("/executions/\(id)").text == before)
    service.store.failure = .locked
    #expect(service.get("/executions/\(id)").status == 503)
  }
}
