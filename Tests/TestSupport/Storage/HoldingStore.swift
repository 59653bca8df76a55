internal import EmailAddresses
internal import Locks
package import MailingList
package import Signals

/// An in-memory store that can keep sign-ups waiting, and counts those in flight.
package final class HoldingStore: SubscriberStore {
  private struct State {
    /// The subject whose completion releases the sign-ups; `nil` if they do not wait.
    var release: ReplaySubject<Void, Never>?
    var signUps: [SignUp] = []
    var inFlight: [String: Int] = [:]
    var mostInFlightOfOneKey = 0
  }

  /// The store of the sign-ups that have been released.
  package let memory: InMemorySubscriberStore
  /// The status log that services share; by default there is none.
  package let sharedStatusLog: (any SharedStatusLog)?

  private let state: Lock<State>
  private let scheduler: any Scheduler

  /// Makes an empty store.
  ///
  /// - Parameters:
  ///   - isHolding: Whether sign-ups wait until ``open()``.
  ///   - scheduler: The scheduler that stores; by default, the thread that releases the sign-up or,
  ///     if it does not wait, the thread that adds it.
  ///   - optIn: Whether sign-ups have to be confirmed.
  ///   - sharedStatusLog: The status log that services share, if there is one.
  ///   - now: Returns the current time, by which executions become unknown.
  package init(
    isHolding: Bool = false,
    on scheduler: any Scheduler = ImmediateScheduler(),
    optIn: OptIn = .single,
    sharedStatusLog: (any SharedStatusLog)? = nil,
    now: @escaping @Sendable () -> Timestamp = { .now }
  ) {
    self.sharedStatusLog = sharedStatusLog
    memory = InMemorySubscriberStore(optIn: optIn, now: now)
    state = Lock(State(release: isHolding ? ReplaySubject() : nil))
    self.scheduler = scheduler
  }

  /// The maximum number of sign-ups of one address that were in flight at the same time.
  package var mostInFlightOfOneKey: Int { state.withLock { $0.mostInFlightOfOneKey } }

  /// The number of sign-ups that have reached the store.
  package var startedCount: Int { state.withLock { $0.signUps.count } }

  /// The consents of the sign-ups that have reached the store, in order.
  package var consents: [Consent] { state.withLock { $0.signUps.map(\.consent) } }

  /// Delays sign-ups from now on until `release` completes.
  package func hold(until release: ReplaySubject<Void, Never>) {
    state.withLock { $0.release = release }
  }

  /// Stores all waiting and all future sign-ups.
  package func open() {
    let release = state.withLock { state in
      defer { state.release = nil }
      return state.release
    }
    release?.complete()
  }

  package func add(_ signUp: SignUp) -> Signal<Never, StoreError> {
    Signal { observer in
      let key = signUp.address.key
      let store: @Sendable () -> Void = {
        self.scheduler.schedule {
          // Its outcome is sent after it has been counted, because it may start the next one.
          let stored = self.memory.add(signUp).replay()
          self.state.withLock { $0.inFlight[key, default: 0] -= 1 }
          stored.subscribe(observer)
        }
      }
      guard let release = self.start(signUp, of: key) else {
        store()
        return AnyDisposable {}
      }
      return release.signal.subscribe(completed: store)
    }
  }

  /// Counts a sign-up.
  ///
  /// - Returns: The subject whose completion releases it; `nil` if it does not wait.
  private func start(_ signUp: SignUp, of key: String) -> ReplaySubject<Void, Never>? {
    state.withLock { state in
      state.signUps.append(signUp)
      state.inFlight[key, default: 0] += 1
      state.mostInFlightOfOneKey = max(state.mostInFlightOfOneKey, state.inFlight[key] ?? 0)
      return state.release
    }
  }

  package func hasStored(_ id: ExecutionID) -> Signal<Bool, StoreError> {
    if let failure = memory.failure { return .fail(failure) }
    return memory.hasStored(id)
  }

  package func probe() -> Signal<Never, StoreError> { memory.probe() }

  package func close() -> Signal<Never, Never> { memory.close() }

  package func subscribers(after id: Int64?, limit: Int) -> Signal<[Subscriber], StoreError> {
    memory.subscribers(after: id, limit: limit)
  }

  /// Returns the addresses on the list.
  ///
  /// - Returns: The addresses in the order of their ids.
  /// - Throws: `StoreError`.
  package func addresses() async throws(StoreError) -> [String] {
    try await memory.subscribers(after: nil, limit: 1000).values().flatMap(\.self).map(\.address)
  }
}
