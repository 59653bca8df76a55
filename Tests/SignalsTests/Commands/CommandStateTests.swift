import Signals
import SignalsTesting
import Testing

@Suite struct CommandStateTests {
  @Test func `says whether it is executing and enabled, without a subscription`() {
    let work = Subject<Int, Never>()
    let allowed = Property(true)
    let command = Command<Int, Int, Never>(enabled: allowed.signal) { _ in work.signal }
    #expect(!command.isExecuting && command.isEnabled)
    command.execute(1)
    #expect(command.isExecuting && !command.isEnabled)
    work.complete()
    #expect(!command.isExecuting && command.isEnabled)
    allowed.value = false
    #expect(!command.isEnabled)
  }

  @Test func `is enabled while it executes when executions may overlap`() {
    let command = Command<Int, Int, Never>(allowsConcurrentExecution: true) { _ in .never }
    command.execute(1)
    #expect(command.isExecuting && command.isEnabled)
  }

  @Test func `a command without input is executed without one`() async throws {
    let count = Counter()
    let command = Command<Void, Int, Trouble> { _ in
      count.increment()
      return .just(count.value)
    }
    command.execute()
    try command.start()
    #expect(try await command() == 3)
  }

  @Test func `a command made of a function has its types`() async throws {
    let command = Command(length)
    let executed: Signal<Int, CommandError<Trouble>> = command.execute("ana")
    #expect(try await executed.last() == 3)
    await #expect(throws: CommandError.failed(Trouble(number: 1))) { try await command("") }
  }

  @Test func `a command made of a closure of one line fails with any error`() async throws {
    let command: Command<String, Int, any Error> = Command { try await length(of: $0) }
    #expect(try await command("ana") == 3)
  }
}

@Sendable
private func length(of text: String) async throws(Trouble) -> Int {
  if text.isEmpty { throw Trouble(number: 1) }
  return text.count
}
