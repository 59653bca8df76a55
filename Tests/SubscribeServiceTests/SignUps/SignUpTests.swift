import TestSupport
import HTTPSignals
import HTTPTypes
import MailingList
import Signals
import Testing

/// `POST /subscribers`.
@Suite struct SignUpTests {
  private let service = ServiceUnderTest()

  @Test func `accepts a sign-up and links to its events`() async throws {
    let response = service.signUp()
    let id = try #require(response.id)
    #expect(response.status == 202)
    #expect(ExecutionID(id) != nil)
    #expect(response["Content-Type"] == "application/json")
    #expect(response["Cache-Control"] == "no-store")
    #expect(
      response["Link"] == "</executions/\(id)/events>; rel=\"monitor\"; type=\"text/event-stream\"")
    #expect(
      response.text == #"{"execution":{"id":"\#(id)","state":"completed","message":"Thanks"}}"#)
    #expect(try await service.store.addresses() == ["ada@example.org"])
  }

  @Test func `accepts a form in the same way as JSON`() async throws {
    let response = service.post(
      "email=ada%40example.org&locale=de&unknown=1", as: "application/x-www-form-urlencoded")
    #expect(response.status == 202)
    #expect(try await service.store.addresses() == ["ada@example.org"])
  }

  @Test func `the response to a sign-up is the same in every state of its subscriber`() throws {
    let first = service.signUp()
    var status = try service.get("/status", after: "earliest").stream()
    #expect(status.read().map(\.name) == ["started", "completed"])
    for state in [Subscriber.State.pending, .subscribed, .unsubscribed, .suppressed] {
      service.store.set(Membership(state: state), of: "ada@example.org")
      let again = service.signUp()
      #expect(again.status == first.status)
      #expect(again.fieldsWithoutID == first.fieldsWithoutID)
      #expect(again.textWithoutID == first.textWithoutID)
      #expect(again.text.utf8.count == first.text.utf8.count)
      #expect(again.id != first.id)
      #expect(status.read().map(\.name) == ["started", "completed"])
    }
  }

  @Test func `responds only after the sign-up is stored`() {
    let release = ReplaySubject<Void, Never>()
    service.store.hold(until: release)
    let response = service.signUp()
    #expect(response.response == nil)
    release.complete()
    #expect(response.status == 202)
  }

  @Test func `rejects a second sign-up for an address while the first is in flight`() throws {
    let release = ReplaySubject<Void, Never>()
    service.store.hold(until: release)
    let first = service.signUp()
    let second = service.signUp("ADA@example.org")
    #expect(second.status == 409)
    #expect(second.problem == "already-executing")
    #expect(second["Retry-After"] == "1")
    let other = service.signUp("bea@example.org")
    #expect(other.response == nil)
    release.complete()
    #expect(!second.text.contains(try #require(first.id)))
    #expect([first.status, other.status] == [202, 202])
    #expect(service.signUp().status == 202)
  }

  @Test func `rejects sign-ups for other addresses when all addresses share a command`() {
    let service = ServiceUnderTest(scope: .service)
    let release = ReplaySubject<Void, Never>()
    service.store.hold(until: release)
    service.signUp("ada@example.org")
    #expect(service.signUp("bea@example.org").status == 409)
    release.complete()
    #expect(service.signUp("bea@example.org").status == 202)
  }

  @Test(
    arguments: [
      .full, .locked, .readOnly, .damaged, .overloaded, .closed, .failed(code: 522),
    ] as [StoreError]
  )
  func `reports a storage failure to the client`(error: StoreError) throws {
    service.store.failure = error
    let response = service.signUp()
    #expect(response.status == 503)
    #expect(response.problem == "storage-unavailable")
    #expect(response["Retry-After"] != nil)
    #expect(response["Location"] == nil)
    var status = try service.get("/status", after: "earliest").stream()
    let events = status.read()
    #expect(events.map(\.name) == ["started", "failed"])
    #expect(events.map { $0["message"] } == ["Sending request...", "Error :("])
    service.store.failure = nil
    #expect(service.signUp().status == 202)
  }

  @Test func `rejects sign-ups while draining`() async throws {
    service.commands.isEnabled.value = false
    let response = service.signUp()
    #expect(response.status == 503)
    #expect(response.problem == "command-disabled")
    #expect(response["Retry-After"] != nil)
    #expect(service.signUp("nobody").status == 422)
    #expect(try await service.store.addresses().isEmpty)
  }

  @Test(
    arguments: [
      "respond-async", "Respond-Async", "wait=10, respond-async", "respond-async;foo",
      " respond-async ",
      "respond-async, wait=100", "handling=lenient,respond-async",
    ]
  )
  func `responds at the start of a sign-up to a client that prefers an asynchronous response`(
    prefer: String
  )
    throws
  {
    let release = ReplaySubject<Void, Never>()
    service.store.hold(until: release)
    let response = service.signUp(prefer: prefer)
    #expect(response.status == 202)
    #expect(response["Preference-Applied"] == "respond-async")
    let id = try #require(response.id)
    #expect(
      response.text
        == #"{"execution":{"id":"\#(id)","state":"executing","message":"Sending request..."}}"#
    )
    release.complete()
    #expect(service.get("/executions/\(id)").text.contains(#""state":"completed""#))
  }

  @Test(arguments: ["", "respond-asynchronously", "wait=10", "x=\"respond-async\""])
  func `responds at the end of a sign-up to a client with any other preference`(prefer: String) {
    let release = ReplaySubject<Void, Never>()
    service.store.hold(until: release)
    let response = service.signUp(prefer: prefer)
    #expect(response.response == nil)
    release.complete()
    #expect(response["Preference-Applied"] == nil)
  }

  @Test func `rejects a sign-up immediately, even if the client prefers an asynchronous response`()
  {
    #expect(service.signUp("nobody", prefer: "respond-async").status == 422)
    let release = ReplaySubject<Void, Never>()
    service.store.hold(until: release)
    #expect(service.signUp(prefer: "respond-async").status == 202)
    #expect(service.signUp(prefer: "respond-async").status == 409)
    release.complete()
    service.commands.isEnabled.value = false
    #expect(service.signUp(prefer: "respond-async").status == 503)
  }

  @Test(arguments: [422, 409, 503])
  func `keeps nothing of a rejected sign-up that prefers an asynchronous response`(status: Int) {
    let release = ReplaySubject<Void, Never>()
    service.store.hold(until: release)
    let pending = service.signUp()
    if status == 503 { service.commands.isEnabled.value = false }
    weak var rejected: TestResponse?
    do {
      let response = service.signUp(
        status == 422 ? "nobody" : "ada@example.org", prefer: "respond-async")
      #expect(response.status == status)
      rejected = response
    }
    // The exchange, which the service would keep, has the response.
    #expect(rejected == nil)
    release.complete()
    #expect(pending.status == 202)
  }
}
