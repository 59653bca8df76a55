import HTTPSignals
import MailingList
import Platform
import Signals
import Services
import TestSupport
import Testing

/// `GET /status` of services that share a list.
@Suite struct SharedStatusTests {
  private let log = SharedLogInMemory()
  private let service: ServiceUnderTest

  init() {
    service = ServiceUnderTest(store: ControlledStore(sharedStatusLog: log)) {
      $0.streamHistory = 4
    }
  }

  private func begin(_ epoch: String = "abcdefgh", next: UInt64 = 1) {
    log.send(.began(epoch: epoch, next: next, reason: nil))
  }

  /// Numbers a sign-up, which was stored in 1.5 seconds.
  private func number(_ count: Int = 1) {
    let time = Timestamp(millisecondsSince1970: 1_800_000_000_250)
    for _ in 0..<count {
      log.send(
        .messages([
          StatusPayload(.started, at: time),
          StatusPayload(.completed, at: time.adding(.milliseconds(1500))),
        ])
      )
    }
  }

  @Test func `shows what was numbered, at the positions of the log`() throws {
    begin(next: 41)
    #expect(log.history == 4)
    var stream = try service.get("/status").stream()
    service.signUp()
    #expect(stream.read().isEmpty)
    number()
    let events = stream.read()
    #expect(events.map(\.id) == ["abcdefgh-41", "abcdefgh-42"])
    #expect(events.map(\.name) == ["started", "completed"])
    // To the second, like those of a log in memory.
    #expect(events.map { $0["at"] } == ["2027-01-15T08:00:00.000Z", "2027-01-15T08:00:01.000Z"])
  }

  @Test func `the stream of an execution does not wait for the log`() throws {
    begin()
    let id = try #require(service.signUp().id)
    var stream = try service.get("/executions/\(id)/events").stream()
    #expect(stream.read().map(\.name) == ["started", "completed"])
    #expect(stream.isFinished)
  }

  @Test func `adds the messages of executions that failed, and no others`() throws {
    begin()
    service.signUp("ada@example.org")
    #expect(log.added.isEmpty)
    service.store.failure = .executing
    service.signUp("bea@example.org")
    let now = service.clock.now
    #expect(log.added == [StatusPayload(.started, at: now), StatusPayload(.failed, at: now)])
  }

  @Test func `an address that another service is storing is counted as a conflict`() {
    let registry = MetricRegistry([])
    let service = ServiceUnderTest(store: ControlledStore(sharedStatusLog: log)) {
      $0.metrics = registry
    }
    service.store.failure = .executing
    service.signUp("ada@example.org")
    let text = String(decoding: registry.text(), as: UTF8.self)
    #expect(text.contains("enlist_execution_conflicts_total 1\n"), "\(text)")
  }

  @Test func `a stream resumes on another service without gaps or duplicates`() throws {
    let other = ServiceUnderTest(store: ControlledStore(sharedStatusLog: log))
    begin()
    number()
    var first = try service.get("/status", after: "earliest").stream()
    let seen = first.read()
    number()
    var second = try other.get("/status", after: try #require(seen.last).id).stream()
    #expect(second.read().map(\.position) == [3, 4])
    #expect(second.read().isEmpty)
  }

  @Test func `a cursor that is ahead is waited for`() throws {
    begin()
    number()
    let response = service.get("/status", after: "abcdefgh-3")
    #expect(response.status == 0)
    #expect(log.awaited == [3])
    number()
    log.endWaiting()
    var stream = try response.stream()
    #expect(stream.read().map(\.position) == [4])
    // The head and older cursors are not ahead.
    for position in 0...4 {
      #expect(service.get("/status", after: "abcdefgh-\(position)").status == 200)
    }
    let ahead = service.get("/status", after: "abcdefgh-5")
    log.endWaiting()
    var reset = try ahead.stream()
    #expect(reset.read().first?["reason"] == "invalid")
  }

  @Test func `a cursor is waited for until the log has begun`() throws {
    let response = service.get("/status", after: "abcdefgh-7")
    #expect(response.status == 0)
    begin(next: 7)
    number()
    log.endWaiting()
    var stream = try response.stream()
    #expect(stream.read().map(\.position) == [8])
  }

  @Test func `a stream without a cursor waits until the log has begun, too`() throws {
    let response = service.get("/status")
    #expect(response.status == 0)
    #expect(log.awaited == [0])
    begin()
    log.endWaiting()
    var stream = try response.stream()
    number()
    #expect(stream.read().map(\.position) == [1, 2])
  }

  @Test(arguments: [SharedStatusChange.Reason.epoch, .expired])
  func `streams end with a reset when positions do not continue`(
    reason: SharedStatusChange.Reason
  ) throws {
    begin()
    number()
    var stream = try service.get("/status").stream()
    let epoch = reason == .epoch ? "12345678" : "abcdefgh"
    log.send(.began(epoch: epoch, next: 9, reason: reason))
    let events = stream.read()
    #expect(events.map(\.name) == ["reset"])
    let reset = try #require(events.first)
    #expect(reset.id == "\(epoch)-8")
    #expect(reset.data == #"{"reason":"\#(reason.rawValue)","from":"\#(epoch)-8"}"#)
    #expect(stream.isFinished)
    number()
    var resumed = try service.get("/status", after: reset.id).stream()
    #expect(resumed.read().map(\.id) == ["\(epoch)-9", "\(epoch)-10"])
    var old = try service.get("/status", after: "abcdefgh-2").stream()
    let response = old.read()
    #expect(response.map(\.name) == ["reset", "started", "completed"])
    #expect(response.first?["reason"] == reason.rawValue)
  }

  @Test func `keeps as many events as a log in memory`() throws {
    begin()
    number(5)
    var stream = try service.get("/status", after: "earliest").stream()
    #expect(stream.read().map(\.position) == [7, 8, 9, 10])
  }

  @Test func `a confirmation in another service ends a stream that waits for it`() throws {
    let service = DoubleOptInService(members: ControlledStore(optIn: .double, sharedStatusLog: log))
    let id = try #require(service.service.signUp("ada@example.org").id)
    var stream = try service.events(id).stream()
    #expect(stream.read().count == 2)
    let time = service.clock.now.adding(.seconds(9))
    log.confirmations.send((99, time))
    #expect(stream.read().isEmpty)
    let people = service.members.subscribers(after: nil, limit: 1).blockingLast()
    let person = try #require(people?.first?.id)
    log.confirmations.send((person, service.clock.now.adding(.seconds(-9))))
    #expect(stream.read().isEmpty)
    log.confirmations.send((person, time))
    let event = try #require(stream.read().first)
    #expect(event.name == "confirmed")
    #expect(event["at"] == time.description)
    #expect(stream.isFinished)
  }
}
