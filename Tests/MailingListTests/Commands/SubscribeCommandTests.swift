import EmailAddresses
import Signals
import MailingList
import TestSupport
import Testing

@Suite struct SubscribeCommandTests {
  private let store = ControlledStore(isHolding: true)
  private let noon = Timestamp(millisecondsSince1970: 1_800_000_000_000)

  private func command(_ email: String = "ada@example.org") -> SubscribeCommand {
    let noon = noon
    let command = SubscribeCommand(store: store, now: { noon })
    command.email.value = .typed(email)
    return command
  }

  @Test func `the validity signal reports each change of the typed address`() {
    let command = command("")
    let recorded = Recorded(command.emailIsValid)
    for typed in ["a", "ada@", "ada@example.org", "ada@example.org ", "ada@example.org,", ""] {
      command.email.value = .typed(typed)
    }
    #expect(recorded.values == [false, false, false, true, true, false, false])
  }

  @Test func `a command sends started first, and completed when the sign-up is stored`()
    async throws
  {
    let command = command()
    let recorded = Recorded(command.statusEvents)
    let request = SignUpRequest.sample()
    let outcome = try command.execute(request)
    #expect(recorded.values.map(\.message) == [.started])
    store.open()
    #expect(recorded.values.map(\.message) == [.started, .completed])
    #expect(recorded.values.allSatisfy { $0.execution == request.id && $0.time == noon })
    #expect(await outcome.collected() == .success([]))
  }

  @Test(
    arguments: [
      .full, .locked, .readOnly, .damaged, .overloaded, .closed, .failed(code: 10),
    ] as [StoreError]
  )
  func `a command sends failed, and never completed, when the store fails`(
    error: StoreError
  )
    async throws
  {
    store.failure = error
    store.open()
    let command = command()
    let recorded = Recorded(command.statusEvents)
    let outcome = try await command.execute(.sample()).collected()
    #expect(outcome == .failure(.store(error)))
    #expect(recorded.values.map(\.message.rawValue) == ["Sending request...", "Error :("])
  }

  @Test func `a command sends the final status message before the outcome`() throws {
    let command = command()
    let recorded = Recorded(command.statusEvents)
    let atOutcome = Lock<[StatusMessage]>([])
    try command.execute(.sample()).subscribe(completed: {
      let messages = recorded.values.map(\.message)
      atOutcome.withLock { $0 = messages }
    })
    store.open()
    #expect(atOutcome.withLock { $0 } == [.started, .completed])
  }

  @Test func `a rejected sign-up throws the reason and sends no status message`() throws {
    let command = command("nobody")
    let recorded = Recorded(command.statusEvents)
    let missingAt = SignUpError.invalidAddress(EmailAddressError(.missingAt))
    #expect(throws: missingAt) { try command.execute(.sample("nobody")) }
    command.email.value = .typed("ada@example.org")
    _ = try command.execute(.sample())
    #expect(throws: SignUpError.executing) { try command.execute(.sample()) }
    #expect(recorded.values.map(\.message) == [.started])
    #expect(store.signUps.count == 1)
    store.open()
  }

  @Test func `a command executes again after a completed or failed execution`() async throws {
    store.open()
    let command = command()
    let recorded = Recorded(command.statusEvents)
    store.failure = .full
    _ = try await command.execute(.sample()).collected()
    store.failure = nil
    let request = SignUpRequest.sample()
    #expect(try await command.execute(request).collected() == .success([]))
    #expect(recorded.values.map(\.message) == [.started, .failed, .started, .completed])
    #expect(recorded.values.suffix(2).allSatisfy { $0.execution == request.id })
  }

  @Test func `stores a sign-up once for any number of observers of its outcome`() async throws {
    let outcome = try command().execute(.sample())
    store.open()
    for _ in 0..<3 { #expect(await outcome.collected() == .success([])) }
    #expect(store.signUps.count == 1)
  }

  @Test func `a released command ends with its last execution`() throws {
    weak var gone: SubscribeCommand?
    let recorded: Recorded<StatusEvent>
    do {
      let command = command()
      gone = command
      recorded = Recorded(command.statusEvents)
      _ = try command.execute(.sample())
    }
    #expect(gone == nil)
    #expect(!recorded.hasEnded)
    store.open()
    #expect(recorded.values.map(\.message) == [.started, .completed])
    #expect(recorded.hasEnded)
  }
}
