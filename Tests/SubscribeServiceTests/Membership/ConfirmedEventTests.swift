import HTTPSignals
import HTTPTypes
import MailingList
import Security
import Signals
import TestSupport
import Testing

@testable import Services

/// `GET /executions/{id}/events?until=confirmed`.
@Suite struct ConfirmedEventTests {
  private static let email = "ada@example.org"

  private let service = DoubleOptInService()

  private func signUp() throws -> String {
    let id = try #require(service.service.signUp(Self.email).id)
    service.clock.advance(seconds: 1)
    return id
  }

  private func confirm() {
    let token = service.members.mail(Self.email, at: service.clock.now).confirm.text
    #expect(service.send(.post, "/confirm/\(token)").status == 200)
  }

  @Test(arguments: ["link", "code"])
  func `the stream ends with the confirmation by link or code`(means: String) throws {
    let id = try signUp()
    var stream = try service.events(id).stream()
    #expect(stream.read().map(\.name) == ["started", "completed"])
    #expect(!stream.isFinished)
    if means == "link" {
      confirm()
    } else {
      let code = service.members.mail(Self.email, at: service.clock.now).code.digits
      #expect(service.type(code, for: id).status == 200)
    }
    let event = try #require(stream.read().first)
    #expect(event.id == "\(id.prefix(8))-3")
    #expect(event.name == "confirmed")
    #expect(
      event.data
        == """
        {"message":"Confirmed","state":"confirmed","at":"\(service.clock.now)",\
        "execution":"\(id)","seq":3}
        """
    )
    #expect(stream.isFinished)
    #expect(
      service.send(.get, "/executions/\(id)", isBrowser: false).text
        == #"{"execution":{"id":"\#(id)","state":"completed","message":"Thanks"}}"#
    )
  }

  @Test func `a confirmation before the stream was opened is sent at once`() throws {
    let id = try signUp()
    confirm()
    var stream = try service.events(id).stream()
    #expect(stream.read().map(\.name) == ["started", "completed", "confirmed"])
    #expect(stream.isFinished)
    let restarted = DoubleOptInService(members: service.members)
    var after = try restarted.events(id).stream()
    #expect(after.read().map(\.name) == ["started", "completed", "confirmed"])
  }

  @Test(arguments: ListState.allCases)
  func `the stream waits in every list state`(state: ListState) throws {
    if let membership = state.membership(before: service.clock.now) {
      service.members.set(membership, of: Self.email)
    }
    let id = try signUp()
    var stream = try service.events(id).stream()
    #expect(stream.read().map(\.name) == ["started", "completed"])
    #expect(!stream.isFinished)
  }

  @Test func `a client resumes after every event, and gets 204 after the last one`() throws {
    let id = try signUp()
    var second = try service.events(id, after: "\(id.prefix(8))-1").stream()
    #expect(second.read().map(\.name) == ["completed"])
    var third = try service.events(id, after: "\(id.prefix(8))-2").stream()
    #expect(third.read().isEmpty)
    #expect(!third.isFinished)
    confirm()
    #expect(third.read().map(\.name) == ["confirmed"])
    #expect(third.isFinished)
    #expect(service.events(id, after: "\(id.prefix(8))-3").status == 204)
  }

  @Test func `without the parameter, the stream ends with the execution`() throws {
    let id = try signUp()
    for path in ["/executions/\(id)/events"] {
      var stream = try service.send(.get, path, isBrowser: false).stream()
      #expect(stream.read().map(\.name) == ["started", "completed"])
      #expect(stream.isFinished)
      #expect(service.service.get(path, after: "\(id.prefix(8))-2").status == 204)
    }
  }

  @Test func `the parameter is ignored if the event is switched off, or opt-in is single`() throws {
    let id = try signUp()
    let without = DoubleOptInService(members: service.members) { $0.sendsConfirmedEvent = false }
    let single = DoubleOptInService(members: service.members, optIn: .single)
    for service in [without, single] {
      var stream = try service.events(id).stream()
      #expect(stream.read().map(\.name) == ["started", "completed"])
      #expect(stream.isFinished)
      #expect(service.events(id, after: "\(id.prefix(8))-2").status == 204)
    }
  }

  @Test func `every stream of a person's executions gets the confirmation, others none`() throws {
    let ids = try (0..<3).map { _ in try signUp() }
    let other = try #require(service.service.signUp("grace@example.org").id)
    var streams = try ids.map { try service.events($0).stream() }
    var otherStream = try service.events(other).stream()
    confirm()
    for index in streams.indices {
      #expect(streams[index].read().last?["execution"] == ids[index])
      #expect(streams[index].isFinished)
    }
    #expect(otherStream.read().map(\.name) == ["started", "completed"])
  }

  @Test func `a failed execution does not wait`() throws {
    var generator = SystemRandomNumberGenerator()
    let execution = ExecutionID(at: Clock().now, using: &generator)
    let id = execution.description
    let service = DoubleOptInService { $0.makeID = { _ in execution } }
    service.members.failure = .full
    #expect(service.service.signUp(Self.email).status == 503)
    service.members.failure = nil
    var stream = try service.events(id).stream()
    #expect(stream.read().map(\.name) == ["started", "failed"])
    #expect(stream.isFinished)
    #expect(service.events(id, after: "\(id.prefix(8))-2").status == 204)
  }

  @Test func `a watch releases clients that leave, and those that have heard`() throws {
    final class Client: Sendable {}
    let clock = service.clock
    let watch = ConfirmationWatch(store: service.members, now: { clock.now })
    let id = try #require(ExecutionID(try signUp()))
    func wait() -> (client: () -> Client?, any Disposable) {
      let client = Client()
      let subscription = watch.confirmation(of: id).subscribe(next: { _ in
        withExtendedLifetime(client) {}
      })
      return ({ [weak client] in client }, subscription)
    }
    let (leaving, waiting) = (wait(), wait())
    #expect(leaving.client() != nil && waiting.client() != nil)
    leaving.1.dispose()
    #expect(leaving.client() == nil && waiting.client() != nil)
    watch.confirmed(1, at: service.clock.now)
    #expect(waiting.client() == nil)
    service.members.failure = .locked
    #expect(wait().client() == nil)
  }

  @Test func `an execution is unknown a day after its sign-up, alike in every list state`() throws {
    var responses: Set<[String]> = []
    for state in ListState.allCases {
      let service = DoubleOptInService { $0.executionHistory = .seconds(200_000) }
      if let membership = state.membership(before: service.clock.now) {
        service.members.set(membership, of: Self.email)
      }
      let id = try #require(service.service.signUp(Self.email).id)
      let paths = ["/executions/\(id)", "/executions/\(id)/events", "/thanks/\(id)"]
      service.clock.advance(seconds: 86_400 - 1)
      for path in paths { #expect(service.send(.get, path).status == 200) }
      #expect(service.events(id).status == 200)
      #expect(service.type("123456", for: id).status == 422)

      service.clock.advance(seconds: 1)
      var all = [service.events(id), service.type("123456", for: id)]
      for path in paths {
        for isBrowser in [true, false] {
          all += [HTTPRequest.Method.get, .head].map {
            service.send($0, path, isBrowser: isBrowser)
          }
        }
      }
      #expect(all.allSatisfy { $0.status == 404 }, "\(state)")
      responses.insert(all.flatMap { $0.fieldsWithoutID + [$0.text.replacing(id, with: "ID")] })
    }
    #expect(responses.count == 1)
  }
}
