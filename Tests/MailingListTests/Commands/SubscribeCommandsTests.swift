import Dispatch
import EmailAddresses
import Signals
import MailingList
import TestSupport
import Testing

@Suite struct SubscribeCommandsTests {
  private typealias Outcome = Result<[Never], SignUpError>

  private let store = ControlledStore(isHolding: true)

  /// Executes requests concurrently, and collects their outcomes.
  private func executeAtOnce(
    _ requests: [SignUpRequest], on commands: SubscribeCommands
  ) -> Outcomes {
    let outcomes = Outcomes()
    DispatchQueue.concurrentPerform(iterations: requests.count) { number in
      commands.outcome(of: requests[number]).subscribe(
        failed: { outcomes.add($0) }, completed: { outcomes.add(nil) })
    }
    return outcomes
  }

  @Test func `executes one of twenty concurrent requests for one address and rejects the others`() {
    let commands = SubscribeCommands(store: store)
    for round in 1...50 {
      let held = ControlledStore(isHolding: true)
      let commands = round == 1 ? commands : SubscribeCommands(store: held)
      let store = round == 1 ? store : held
      let requests = (0..<20).map { _ in SignUpRequest.sample() }
      let outcomes = executeAtOnce(requests, on: commands)
      #expect(outcomes.errors == Array(repeating: .executing, count: 19))
      #expect(outcomes.storedCount == 0)
      store.open()
      #expect(outcomes.storedCount == 1)
      #expect(store.signUps.count == 1)
      #expect(executeAtOnce([.sample()], on: commands).storedCount == 1)
    }
  }

  @Test func `addresses that differ only in letter case share a command`() async {
    let commands = SubscribeCommands(store: store)
    _ = commands.outcome(of: .sample("Ada@Example.org"))
    let outcome = await commands.outcome(of: .sample("ada@example.ORG")).collected()
    #expect(outcome == .failure(.executing))
    store.open()
  }

  @Test func `sign-ups for different addresses run concurrently`() {
    let commands = SubscribeCommands(store: store)
    let requests = (0..<200).map { SignUpRequest.sample("person\($0)@example.org") }
    let outcomes = executeAtOnce(requests, on: commands)
    #expect(store.signUps.count == 200)
    store.open()
    #expect(outcomes.storedCount == 200)
    #expect(outcomes.errors.isEmpty)
    let again = (0..<200).map { SignUpRequest.sample("person\($0)@example.org") }
    #expect(executeAtOnce(again, on: commands).storedCount == 200)
  }

  @Test
  func
    `at most one sign-up per address is in flight, and the address is accepted again afterwards`()
    async throws
  {
    let store = ControlledStore(waits: false)
    let commands = SubscribeCommands(store: store)
    let recorded = Recorded(commands.statusEvents)
    let requests = (0..<4000).map { SignUpRequest.sample("person\($0 % 3)@example.org") }
    let outcomes = await withTaskGroup(of: Outcome.self, returning: [Outcome].self) { group in
      for request in requests { group.addTask { await commands.outcome(of: request).collected() } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.allSatisfy { $0 == .failure(.executing) || $0.isSuccess })
    let stored = outcomes.count(where: \.isSuccess)
    #expect(stored > 0)
    #expect(store.mostInFlightOfOneKey == 1)
    #expect(store.signUps.count == stored)
    #expect(recorded.values.count == 2 * stored)
    for person in 0..<3 {
      let again = SignUpRequest.sample("person\(person)@example.org")
      #expect(await commands.outcome(of: again).collected().isSuccess)
    }
    #expect(try await store.subscribers(after: nil, limit: 10).values().first?.count == 3)
  }

  @Test func `the service scope executes one sign-up at a time`() async {
    let commands = SubscribeCommands(store: store, scope: .service)
    let outcomes = executeAtOnce((0..<20).map { .sample("person\($0)@example.org") }, on: commands)
    #expect(outcomes.errors == Array(repeating: .executing, count: 19))
    #expect(store.signUps.count == 1)
    store.open()
    #expect(outcomes.storedCount == 1)
    let next = await commands.outcome(of: .sample("next@example.org")).collected()
    #expect(next.isSuccess)
  }

  @Test(arguments: SubscribeCommands.Scope.allCases)
  func `reports the reason for an invalid address and accepts a valid one afterwards`(
    scope: SubscribeCommands.Scope
  ) async {
    let commands = SubscribeCommands(store: store, scope: scope)
    let recorded = Recorded(commands.statusEvents)
    let rows: [(String, EmailAddressError)] = [
      ("", EmailAddressError(.empty)), ("nobody", EmailAddressError(.missingAt)),
      ("a@b", EmailAddressError(.singleLabelDomain, at: 2)),
      ("a@example.org\r\nb", EmailAddressError(.controlCharacter, at: 13)),
    ]
    for (typed, error) in rows {
      let outcome = await commands.outcome(of: .sample(typed)).collected()
      #expect(outcome == .failure(.invalidAddress(error)))
    }
    #expect(recorded.values.isEmpty)
    #expect(store.signUps.isEmpty)
    store.open()
    #expect(await commands.outcome(of: .sample()).collected().isSuccess)
  }

  @Test func `a disabled service rejects new sign-ups and completes those in flight`() async {
    let commands = SubscribeCommands(store: store)
    let first = executeAtOnce([.sample("ada@example.org")], on: commands)
    commands.isEnabled.value = false
    #expect(
      await commands.outcome(of: .sample("bea@example.org")).collected() == .failure(.draining))
    #expect(
      await commands.outcome(of: .sample("ada@example.org")).collected() == .failure(.draining))
    let invalid = await commands.outcome(of: .sample("nobody")).collected()
    #expect(invalid == .failure(.invalidAddress(EmailAddressError(.missingAt))))
    store.open()
    #expect(first.storedCount == 1)
    commands.isEnabled.value = true
    for address in ["ada@example.org", "bea@example.org"] {
      #expect(await commands.outcome(of: .sample(address)).collected().isSuccess)
    }
  }

  @Test
  func `an invalid address is never executed, even while another thread observes the service`() {
    let commands = SubscribeCommands(store: store)
    let recorded = Recorded(commands.statusEvents)
    let (isObserving, canEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let observer = DispatchQueue(label: "observer")
    observer.async {
      commands.isEnabled.signal.subscribe(next: { _ in
        isObserving.signal()
        canEnd.wait()
      })
    }
    isObserving.wait()
    let outcomes = executeAtOnce([.sample("nobody")], on: commands)
    canEnd.signal()
    observer.sync {}
    #expect(outcomes.errors == [.invalidAddress(EmailAddressError(.missingAt))])
    #expect(recorded.values.isEmpty)
  }

  @Test func `accepts an address again after a storage failure`() async {
    store.open()
    let commands = SubscribeCommands(store: store)
    store.failure = .full
    #expect(await commands.outcome(of: .sample()).collected() == .failure(.store(.full)))
    store.failure = nil
    #expect(await commands.outcome(of: .sample()).collected().isSuccess)
  }

  @Test func `accepts the same address again within the outcome handler`() {
    store.open()
    let commands = SubscribeCommands(store: store)
    let second = Outcomes()
    commands.execute(.sample()) { _ in
      commands.execute(.sample()) { end in
        if case .failed(let error) = end { second.add(error) } else { second.add(nil) }
      }
    }
    #expect(second.errors.isEmpty)
    #expect(second.storedCount == 1)
    #expect(executeAtOnce([.sample()], on: commands).storedCount == 1)
  }

  @Test func `releases the store with the last reference to the commands`() {
    weak var gone: ControlledStore?
    do {
      let store = ControlledStore(isHolding: true)
      gone = store
      let commands = SubscribeCommands(store: store)
      let requests = ["ada@example.org", "ada@example.org", "bea@example.org", "nobody"]
      let outcomes = executeAtOnce(requests.map { .sample($0) }, on: commands)
      store.open()
      #expect(outcomes.storedCount == 2)
    }
    #expect(gone == nil)
  }
}

/// The outcomes of executions: an error, or `nil` for a stored sign-up.
private final class Outcomes: Sendable {
  private let ends = Lock<[SignUpError?]>([])

  var errors: [SignUpError] { ends.withLock { $0.compactMap(\.self) } }

  var storedCount: Int { ends.withLock { ends in ends.count { $0 == nil } } }

  func add(_ end: SignUpError?) { ends.withLock { $0.append(end) } }
}

extension Result {
  fileprivate var isSuccess: Bool {
    if case .success = self { true } else { false }
  }
}
