import TestSupport
import HTTPTypes
import Dispatch
import HTTPSignals
import Signals
import MailingList
import Testing

/// Concurrent requests on several event loops.
@Suite struct ManyAtOnceTests {
  private let service = ServiceUnderTest()

  /// Runs a body on eight loops concurrently; each loop has its own source of requests.
  private func onLoops(
    of other: ServiceUnderTest? = nil, _ body: @Sendable (Int, (Request) -> TestResponse) -> Void
  ) {
    let service = other ?? service
    DispatchQueue.concurrentPerform(iterations: 8) { loop in
      let requests = Subject<Exchange, Never>()
      service.serve(requests.signal)
      body(loop) { request in
        let response = TestResponse()
        requests.send(response.exchange(for: request, policy: service.responsePolicy))
        return response
      }
    }
  }

  private static func signUp(_ email: String, prefer: String? = nil) -> Request {
    let form = "application/x-www-form-urlencoded"
    return .post(Array("email=\(email)".utf8), as: form, prefer: prefer)
  }

  @Test func `an execution shows its final state right after the response`() {
    let wrong = Lock<[String]>([])
    onLoops { loop, send in
      for number in 0..<250 {
        let response = send(Self.signUp("person\(number)@loop\(loop).example.org"))
        let path = response["Location"] ?? "/"
        let snapshot = send(Request(method: .get, path: path)).text
        if response.status != 202 || snapshot != response.text {
          wrong.withLock { $0.append(snapshot) }
        }
      }
    }
    #expect(wrong.withLock { $0 } == [])
    #expect(service.get("/commands/subscribe").text.contains(#""executing":0,"#))
  }

  @Test func `does not count an execution whose response was sent`() {
    service.store.failure = .full
    let highest = Lock(0)
    onLoops { loop, send in
      for number in 0..<250 {
        _ = send(Self.signUp("person\(number)@loop\(loop).example.org"))
        let text = send(Request(method: .get, path: "/commands/subscribe")).text
        let count = text.split(separator: "\"executing\":").last?.prefix { $0.isNumber } ?? ""
        let executing = Int(count) ?? 1000
        highest.withLock { $0 = max($0, executing) }
      }
    }
    // This loop's execution has ended; those of the other seven loops may be in flight.
    #expect(highest.withLock { $0 } <= 7)
    #expect(service.get("/commands/subscribe").text.contains(#""executing":0,"#))
  }

  @Test func `the status stream delivers each message once, in one order`() throws {
    var stream = try service.get("/status").stream()
    onLoops { loop, send in
      for number in 0..<250 { _ = send(Self.signUp("person\(number)@loop\(loop).example.org")) }
    }
    let events = stream.read()
    #expect(events.map(\.position) == (1...4000).map { $0 })
    #expect(events.count { $0.name == "started" } == 2000)
    #expect(events.count { $0.name == "completed" } == 2000)
  }

  @Test func `concurrent sign-ups for one address get 202 or 409, and one subscriber is stored`()
    async throws
  {
    let responses = Lock<[TestResponse]>([])
    onLoops { _, send in
      for _ in 0..<250 {
        let response = send(Self.signUp("ada@example.org"))
        responses.withLock { $0.append(response) }
      }
    }
    // A response may be sent on the thread of another request, after `send` has returned.
    let statuses = responses.withLock { $0 }.map(\.status)
    #expect(Set(statuses).isSubset(of: [202, 409]))
    #expect(statuses.contains(202))
    #expect(try await service.store.addresses() == ["ada@example.org"])
  }

  @Test(arguments: 1...8)
  func `every execution that started with a 202 can be requested immediately`(round: Int) {
    // Nothing is stored yet, so the store cannot find the executions.
    let store = ControlledStore(isHolding: true)
    let service = ServiceUnderTest(store: store)
    let statuses = Lock<[Int]>([])
    onLoops(of: service) { loop, send in
      for number in 0..<8 {
        let email = "person\(number)@loop\(loop).example.org"
        let response = send(Self.signUp(email, prefer: "respond-async"))
        let status = send(Request(method: .get, path: response["Location"] ?? "/none")).status
        statuses.withLock { $0.append(status) }
      }
    }
    store.open()
    #expect(statuses.withLock { $0 } == Array(repeating: 200, count: 64))
  }
}
